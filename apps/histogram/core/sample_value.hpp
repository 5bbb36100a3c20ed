// SPDX-License-Identifier: Apache-2.0
// The numeric values of samples, and their exact comparison with edges: a 64-bit integer never
// passes through a double, and a 16-bit float becomes a float, which represents it exactly.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/floats.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Whether Sample is a 16-bit float of either kind, from any library.
template <class Sample>
inline constexpr bool is_short_float = !std::is_arithmetic_v<Sample> && fraction_bits<Sample> != 0;

/// The value of a sample: float for 16-bit floats, else Sample itself.
template <class Sample>
using sample_value = std::conditional_t<is_short_float<Sample>, float, Sample>;

/// The float equal to an IEEE 16-bit float.
LIBSCAN_HOST_DEVICE inline float float_of_half(std::uint16_t bits) {
  float value;
#ifdef __CUDA_ARCH__
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
#else
  // The exponents' biases differ by 112; infinities and NaNs have the largest exponent.
  std::uint32_t word = (bits & 0x7fffu) << 13;
  memcpy(&value, &word, sizeof(value));
  value *= 0x1p112f;
  memcpy(&word, &value, sizeof(word));
  if ((bits & 0x7c00u) == 0x7c00u) word |= 0x7f800000u;
  word |= (bits & 0x8000u) << 16;
  memcpy(&value, &word, sizeof(value));
#endif
  return value;
}

/// A number for messages: the shortest text with that value.
template <class Value>
std::string text_of(Value x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

/// The value of a sample, exactly.
template <class Sample>
LIBSCAN_HOST_DEVICE sample_value<Sample> value_of(Sample const& sample) {
  if constexpr (!is_short_float<Sample>) {
    return sample;
  } else {
    std::uint16_t bits;
    ::memcpy(&bits, &sample, sizeof(bits));
    if constexpr (fraction_bits<Sample> == 10) {
      return float_of_half(bits);
    } else {
      std::uint32_t const word = std::uint32_t{bits} << 16;
      float value;
      memcpy(&value, &word, sizeof(value));
      return value;
    }
  }
}

/// Whether integers of type Value are compared with edges that cannot represent all of them.
template <class Value, class Edge>
inline constexpr bool needs_integers = std::is_integral_v<Value> &&
                                       sizeof(Value) == 8 && std::is_floating_point_v<Edge>;

/// The comparison of a 64-bit integer with a double: below, equal or above it, as -1, 0 or 1.
template <class Value>
LIBSCAN_HOST_DEVICE int compare(Value x, double edge) {
  constexpr double end = std::is_signed_v<Value> ? 0x1p63 : 0x1p64;
  constexpr double begin = std::is_signed_v<Value> ? -0x1p63 : 0.0;
  if (edge >= end) return -1;
  if (edge < begin) return 1;
  auto const whole = static_cast<Value>(edge);  // towards 0
  if (x != whole) return x < whole ? -1 : 1;
  auto const back = static_cast<double>(whole);
  return back < edge ? -1 : back > edge ? 1 : 0;
}

/// x >= edge, exactly; false if x is NaN. The edge is not.
template <class Value, class Edge>
LIBSCAN_HOST_DEVICE bool at_least(Value x, Edge edge) {
  if constexpr (needs_integers<Value, Edge>) {
    return detail::compare(x, static_cast<double>(edge)) >= 0;
  } else {
    return detail::less_or_equal(edge, x);
  }
}

/// x <= edge, exactly; false if x is NaN. The edge is not.
template <class Value, class Edge>
LIBSCAN_HOST_DEVICE bool at_most(Value x, Edge edge) {
  if constexpr (needs_integers<Value, Edge>) {
    return detail::compare(x, static_cast<double>(edge)) <= 0;
  } else {
    return detail::less_or_equal(x, edge);
  }
}

/// The ordered values of a type, to find the neighbors of an edge. On the host.
template <class Value>
struct value_line {
  using limits = std::numeric_limits<Value>;

  /// The smallest finite value >= `edge`, which is finite; the largest value if there is none.
  static Value min_from(double edge) {
    if (detail::at_least(limits::lowest(), edge)) return limits::lowest();
    if (!detail::at_least(limits::max(), edge)) return limits::max();
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(std::ceil(edge));
    } else {
      if constexpr (sizeof(Value) < sizeof(double)) {
        // Conversions to subnormal floats set flags; these are multiples of 2^-149.
        if (-0x1p-126 < edge && edge < 0x1p-126) {
          auto const multiple = static_cast<std::int32_t>(std::ceil(edge * 0x1p149));
          return float_bits<float>::at(multiple);
        }
      }
      auto const near = static_cast<Value>(edge);
      return near >= edge ? near : next(near);
    }
  }

  /// Neighbors of a number that is not the greatest, or not the least. By bits: std::nextafter
  /// sets flags where the neighbor is subnormal.
  static Value next(Value x) {
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(x + 1);
    } else {
      return float_bits<Value>::at(float_bits<Value>(x).order() + 1);
    }
  }
  static Value previous(Value x) {
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(x - 1);
    } else {
      return float_bits<Value>::at(float_bits<Value>(x).order() - 1);
    }
  }
};

}  // namespace libscan::inline v1::detail
