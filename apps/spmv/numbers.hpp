// SPDX-License-Identifier: Apache-2.0
// Matrix and vector entries as the numbers they are summed in, and back: halves are widened to
// float exactly and rounded to nearest even, by bits where the compiler has no such types.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <apps/radix_sort/key_order.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// What entries of a type are summed in: floats of 16 bits in float, all others as they are.
template <class Entry>
struct accumulator_of {
  using type = Entry;
};
template <>
struct accumulator_of<float16> {
  using type = float;
};
template <>
struct accumulator_of<bfloat16> {
  using type = float;
};
template <>
struct accumulator_of<__half> {
  using type = float;
};
template <>
struct accumulator_of<__nv_bfloat16> {
  using type = float;
};
template <class Entry>
using accumulator_t = typename accumulator_of<Entry>::type;

namespace detail {

/// Another type's value of the same bits.
template <class To, class From>
LIBSCAN_HOST_DEVICE inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace detail

/// The float that a half is.
LIBSCAN_HOST_DEVICE inline float widened(float16 half) {
#ifdef __CUDA_ARCH__
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(half.bits));
  return number;
#else
  std::uint32_t const sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  std::uint32_t const magnitude = half.bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {
    return detail::bits_as<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  }
  // As the bits of a float it is too small by 2^112, subnormals included.
  float const scaled = detail::bits_as<float>(magnitude << 13) * 0x1p112f;
  return detail::bits_as<float>(sign | detail::bits_as<std::uint32_t>(scaled));
#endif
}
LIBSCAN_HOST_DEVICE inline float widened(bfloat16 half) {
  return detail::bits_as<float>(static_cast<std::uint32_t>(half.bits) << 16);
}

namespace detail {

/// The half nearest to a number of magnitude bits `magnitude` below infinity, as bits; ties to
/// even.
LIBSCAN_HOST_DEVICE inline std::uint32_t rounded_to_half(std::uint32_t magnitude) {
  if (magnitude >= 0x477ff000u) return 0x7c00u;  // 65520 and more
  if (magnitude < 0x38800000u) {
    // Subnormal: adding 1/2 leaves the bits that count at the end of the fraction, rounded.
    float const shifted = detail::bits_as<float>(magnitude) + 0.5f;
    return detail::bits_as<std::uint32_t>(shifted) - 0x3f000000u;
  }
  std::uint32_t const odd = magnitude >> 13 & 1u;
  return (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
}

}  // namespace detail

/// The half nearest to a float; ties to even, NaN to NaN.
LIBSCAN_HOST_DEVICE inline void narrow(float number, float16& half) {
  auto const bits = detail::bits_as<std::uint32_t>(number);
  std::uint32_t const magnitude = bits & 0x7fffffffu;
  std::uint32_t const sign = bits >> 16 & 0x8000u;
  std::uint32_t const rounded =
      magnitude > 0x7f800000u ? 0x7e00u : detail::rounded_to_half(magnitude);
  half.bits = static_cast<std::uint16_t>(sign | rounded);
}
LIBSCAN_HOST_DEVICE inline void narrow(float number, bfloat16& half) {
  auto const bits = detail::bits_as<std::uint32_t>(number);
  bool const nan = (bits & 0x7fffffffu) > 0x7f800000u;
  std::uint32_t const rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  half.bits = static_cast<std::uint16_t>(nan ? bits >> 16 | 0x40u : rounded);
}

/// An entry as a number of type T.
template <class T, class Entry>
LIBSCAN_HOST_DEVICE inline T as_number(Entry const& entry) {
  if constexpr (std::is_same_v<Entry, float16> || std::is_same_v<Entry, bfloat16>) {
    return static_cast<T>(widened(entry));
  } else if constexpr (std::is_arithmetic_v<Entry>) {
    return static_cast<T>(entry);
  } else {
    return static_cast<T>(static_cast<float>(entry));
  }
}

/// A number as an entry.
template <class Entry, class T>
LIBSCAN_HOST_DEVICE inline Entry as_entry(T number) {
  if constexpr (std::is_same_v<Entry, float16> || std::is_same_v<Entry, bfloat16>) {
    Entry half{};
    narrow(static_cast<float>(number), half);
    return half;
  } else if constexpr (std::is_arithmetic_v<Entry>) {
    return static_cast<Entry>(number);
  } else {
    return Entry(static_cast<float>(number));
  }
}

/// The negative of an entry; of integers, the one that wraps around.
template <class Entry>
LIBSCAN_HOST_DEVICE inline Entry negative(Entry const& entry) {
  using T = accumulator_t<Entry>;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<Entry>(U(0) - static_cast<U>(entry));
  } else {
    return as_entry<Entry>(-as_number<T>(entry));
  }
}

}  // namespace libscan::inline v1
