// SPDX-License-Identifier: Apache-2.0
// 16-bit floats by their bits, for compilers without such types: IEEE halves and bfloat16. They are
// widened to float exactly, computed on as floats, and rounded back to nearest, ties to even.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <libscan/core/floats.hpp>
#include <libscan/core/types.hpp>

// CUDA's 16-bit types, if the caller includes their headers; this header does not.
struct __half;
struct __nv_bfloat16;

namespace libscan::inline v1 {

namespace detail {

/// `yes` or `no`; both are evaluated, so that compilers can vectorize the choice.
LIBSCAN_HOST_DEVICE constexpr std::uint32_t chosen(bool by, std::uint32_t yes, std::uint32_t no) {
  return by ? yes : no;
}

/// The half with these bits, as a float.
LIBSCAN_HOST_DEVICE constexpr float widened_half(std::uint16_t half) {
  constexpr std::uint32_t bias = 112U << 23;  // the difference of the exponents
  std::uint32_t const magnitude = half & 0x7fffU;
  std::uint32_t const sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  // Infinities and NaNs have the largest exponent of either. Subnormal halves are multiples of
  // 2^-24, and floats that are not subnormal.
  std::uint32_t const normal = (magnitude << 13) + chosen(magnitude < 0x7c00U, bias, 2 * bias);
  auto const subnormal =
      bits_as<std::uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24F);
  return bits_as<float>(sign | chosen(magnitude < 0x400U, subnormal, normal));
}

/// The bits of the half nearest to a float.
LIBSCAN_HOST_DEVICE constexpr std::uint16_t narrowed_to_half(float number) {
  auto const bits = bits_as<std::uint32_t>(number);
  std::uint32_t const magnitude = bits & 0x7fffffffU;
  std::uint32_t const odd = magnitude >> 13 & 1U;
  std::uint32_t const normal = (magnitude - 0x38000000U + 0xfffU + odd) >> 13;
  // Added to 1/2, the significant bits come last in the fraction, rounded.
  auto const subnormal = bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5F) - 0x3f000000U;
  std::uint32_t const finite = chosen(magnitude < 0x38800000U, subnormal, normal);
  std::uint32_t const large = chosen(magnitude > 0x7f800000U, 0x7e00U, 0x7c00U);  // NaN, infinity
  // From 65520 on (halfway from the largest half to the next one there would be), the result is
  // infinity.
  std::uint32_t const rounded = chosen(magnitude < 0x477ff000U, finite, large);
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | rounded);
}

/// The same for bfloat16.
LIBSCAN_HOST_DEVICE constexpr float widened_bfloat(std::uint16_t half) {
  return bits_as<float>(static_cast<std::uint32_t>(half) << 16);
}
LIBSCAN_HOST_DEVICE constexpr std::uint16_t narrowed_to_bfloat(float number) {
  auto const bits = bits_as<std::uint32_t>(number);
  std::uint32_t const rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
  bool const nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<std::uint16_t>(chosen(nan, bits >> 16 | 0x40U, rounded));
}

/// `number` as a To; if it is none, the neighbor whose last bit is 1. Rounded once more, to fewer
/// bits, that gives what `number` would: it lies on the same side of every tie.
template <class To, class Word, class From>
LIBSCAN_HOST_DEVICE constexpr To rounded_to_odd(From number) {
  auto const nearest = static_cast<To>(number);
  auto const back = static_cast<From>(nearest);
  bool const exact = !(back < number) && !(number < back);  // NaN, too
  auto const bits = bits_as<Word>(nearest);
  if (exact || bits % 2 == 1) return nearest;
  bool const is_smaller = (number < 0 ? -back : back) < (number < 0 ? -number : number);
  return bits_as<To>(is_smaller ? bits + 1 : bits - 1);
}

/// A number as a float with the same nearest 16-bit floats.
template <class Number>
LIBSCAN_HOST_DEVICE constexpr float to_narrow(Number number) {
  if constexpr (std::is_floating_point_v<Number> && sizeof(Number) > sizeof(double)) {
    return detail::to_narrow(detail::rounded_to_odd<double, std::uint64_t>(number));
  } else if constexpr (std::is_same_v<Number, double>) {
    return detail::rounded_to_odd<float, std::uint32_t>(number);
  } else if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
    // Of large numbers, bits below those of a double only matter if one is set: the lowest bit that
    // a double has stands for them.
    Number const low = number & 4095, high = number - low;
    bool const is_small = high >> 52 == 0 || high >> 52 == static_cast<Number>(-1);
    if (is_small) return detail::to_narrow(static_cast<double>(number));
    return detail::to_narrow(static_cast<double>(high) + (low != 0 ? 2048.0 : 0.0));
  } else if constexpr (std::is_integral_v<Number> && sizeof(Number) == 4) {
    return detail::to_narrow(static_cast<double>(number));
  } else {
    return static_cast<float>(number);
  }
}

}  // namespace detail

/// A 16-bit IEEE float. A number converts to the nearest half, ties to even, NaN to NaN; `of_bits`
/// takes the bits. A half converts exactly to float.
struct float16 {
  std::uint16_t bits;

  float16() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> LIBSCAN_HOST_DEVICE explicit constexpr float16(
      Number number)
      : bits(detail::narrowed_to_half(detail::to_narrow(number))) {}
  LIBSCAN_HOST_DEVICE static constexpr float16 of_bits(std::uint16_t bits) {
    float16 half{};
    half.bits = bits;
    return half;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> LIBSCAN_HOST_DEVICE constexpr float16& operator=(
      Number number) {
    bits = detail::narrowed_to_half(detail::to_narrow(number));
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> LIBSCAN_HOST_DEVICE explicit constexpr operator Number()
      const {
    return static_cast<Number>(detail::widened_half(bits));
  }
  /// Whether the bits are the same.
  bool operator==(float16 const&) const = default;
};

/// A bfloat16: the upper half of a float. Otherwise as `float16`.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> LIBSCAN_HOST_DEVICE explicit constexpr bfloat16(
      Number number)
      : bits(detail::narrowed_to_bfloat(detail::to_narrow(number))) {}
  LIBSCAN_HOST_DEVICE static constexpr bfloat16 of_bits(std::uint16_t bits) {
    bfloat16 half{};
    half.bits = bits;
    return half;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> LIBSCAN_HOST_DEVICE constexpr bfloat16& operator=(
      Number number) {
    bits = detail::narrowed_to_bfloat(detail::to_narrow(number));
    return *this;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> LIBSCAN_HOST_DEVICE explicit constexpr operator Number()
      const {
    return static_cast<Number>(detail::widened_bfloat(bits));
  }
  /// Whether the bits are the same.
  bool operator==(bfloat16 const&) const = default;
};

/// Either of the two.
template <class T>
concept half_float = std::same_as<T, float16> || std::same_as<T, bfloat16>;

namespace detail {

LIBSCAN_HOST_DEVICE constexpr bool is_nan(float16 x) { return (x.bits & 0x7fff) > 0x7c00; }
LIBSCAN_HOST_DEVICE constexpr bool is_nan(bfloat16 x) { return (x.bits & 0x7fff) > 0x7f80; }

/// As numbers: see floats.hpp.
template <half_float Half>
LIBSCAN_HOST_DEVICE constexpr bool less_or_equal(Half const& a, Half const& b) {
  return detail::less_or_equal(static_cast<float>(a), static_cast<float>(b));
}
template <half_float Half>
LIBSCAN_HOST_DEVICE constexpr bool equal(Half const& a, Half const& b) {
  return detail::equal(static_cast<float>(a), static_cast<float>(b));
}

}  // namespace detail

/// The type in which items of a type are summed: float for 16-bit floats, otherwise the type
/// itself.
template <class Item>
struct accumulator_of {
  using type = Item;
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
template <class Item>
using accumulator_t = typename accumulator_of<Item>::type;

}  // namespace libscan::inline v1
