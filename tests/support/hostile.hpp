// SPDX-License-Identifier: Apache-2.0
// Types whose namespace has a function for every call that libscan makes without a namespace
// (tests/tree/hostile_names.py): such a call does not compile.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hostile_names.hpp>
#include <libscan/core/types.hpp>

namespace hostile {

// Operators that an expression calls by accident: for an address, or in a loop over two iterators.
template <class T>
void operator&(T&&) = delete;
template <class A, class B>
void operator,(A&&, B&&) = delete;

/// What a predicate returns that returns no bool.
struct truth {
  bool value;
  LIBSCAN_HOST_DEVICE constexpr operator bool() const { return value; }
};
template <class T>
void operator&&(truth, T&&) = delete;
template <class T>
void operator&&(T&&, truth) = delete;
template <class T>
void operator||(truth, T&&) = delete;
template <class T>
void operator||(T&&, truth) = delete;

/// A number; as an item, a key and a value.
struct number {
  int value;

  static void* operator new(std::size_t) = delete;
  static void* operator new[](std::size_t) = delete;

  number() = default;
  LIBSCAN_HOST_DEVICE constexpr explicit number(int n) : value(n) {}
  LIBSCAN_HOST_DEVICE constexpr bool operator==(number b) const { return value == b.value; }
  LIBSCAN_HOST_DEVICE constexpr bool operator!=(number b) const { return value != b.value; }
  LIBSCAN_HOST_DEVICE constexpr bool operator<(number b) const { return value < b.value; }
  LIBSCAN_HOST_DEVICE constexpr bool operator>(number b) const { return value > b.value; }
  LIBSCAN_HOST_DEVICE constexpr number operator+(number b) const { return number(value + b.value); }
};

/// Sums of numbers.
struct add {
  using value_type = number;
  LIBSCAN_HOST_DEVICE static constexpr number identity() { return number(0); }
  LIBSCAN_HOST_DEVICE constexpr number operator()(number a, number b) const { return a + b; }
};
/// The same, without a type and an identity.
struct add_any {
  LIBSCAN_HOST_DEVICE constexpr number operator()(number a, number b) const { return a + b; }
};
struct is_odd {
  LIBSCAN_HOST_DEVICE constexpr truth operator()(number a) const { return {a.value % 2 != 0}; }
};
struct is_same {
  LIBSCAN_HOST_DEVICE constexpr truth operator()(number a, number b) const { return {a == b}; }
};
/// The word of a key, and two of them.
struct word_of {
  LIBSCAN_HOST_DEVICE constexpr std::uint32_t operator()(number a) const {
    return static_cast<std::uint32_t>(a.value);
  }
};
struct word_pair_of {
  LIBSCAN_HOST_DEVICE constexpr std::array<std::uint32_t, 2> operator()(number a) const {
    return {static_cast<std::uint32_t>(a.value), 1};
  }
};
struct bucket_of {
  LIBSCAN_HOST_DEVICE constexpr int operator()(number a) const { return a.value % 3; }
};

/// A bin for each number below 100.
struct bin_of {
  using sample_type = number;
  LIBSCAN_HOST_DEVICE int bins() const { return 100; }
  LIBSCAN_HOST_DEVICE int find(number a) const { return a.value; }
};

/// Sums of products.
struct add_floats {
  using value_type = float;
  LIBSCAN_HOST_DEVICE static constexpr float identity() { return 0; }
  LIBSCAN_HOST_DEVICE constexpr float operator()(float a, float b) const { return a + b; }
};
struct times {
  using value_type = float;
  using sum_type = add_floats;
  LIBSCAN_HOST_DEVICE static constexpr float zero() { return 0; }
  LIBSCAN_HOST_DEVICE static constexpr float one() { return 1; }
  LIBSCAN_HOST_DEVICE constexpr float multiply(float a, float b) const { return a * b; }
};

}  // namespace hostile
