// SPDX-License-Identifier: Apache-2.0
// An iterator of a user's own for results, which it changes as they are stored.
#pragma once

#include <compare>
#include <cstdint>
#include <iterator>

#include <libscan/core/types.hpp>

namespace libscan::test {

/// What is stored arrives as twice that.
struct doubled {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int32_t;
  using difference_type = index_t;
  struct reference {
    std::int32_t* at;
    reference const& operator=(std::int64_t result) const {
      *at = static_cast<std::int32_t>(2 * result);
      return *this;
    }
    operator std::int32_t() const { return *at; }
  };
  using pointer = void;
  std::int32_t* at = nullptr;

  reference operator*() const { return {at}; }
  reference operator[](index_t i) const { return {at + i}; }
  doubled& operator++() { return *this += 1; }
  doubled& operator--() { return *this += -1; }
  doubled operator++(int) { return {at++}; }
  doubled operator--(int) { return {at--}; }
  doubled& operator+=(index_t i) { return at += i, *this; }
  doubled& operator-=(index_t i) { return at -= i, *this; }
  friend doubled operator+(doubled it, index_t i) { return {it.at + i}; }
  friend doubled operator+(index_t i, doubled it) { return {it.at + i}; }
  friend doubled operator-(doubled it, index_t i) { return {it.at - i}; }
  friend index_t operator-(doubled a, doubled b) { return a.at - b.at; }
  auto operator<=>(doubled const&) const = default;
};

}  // namespace libscan::test
