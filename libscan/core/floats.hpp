// SPDX-License-Identifier: Apache-2.0
// Comparisons of numbers that mean the same in every unit of a program, and set no floating-point
// flags: a quiet NaN is an ordinary operand. A linker keeps one of the inline functions of a name.
// It may come from a unit compiled with -ffast-math, where a compiler takes it that there are no
// NaNs and that sums may be reordered; so there, and only there, bits are compared.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/types.hpp>

#if !defined(__CUDA_ARCH__) && ((defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
                                defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
                                defined(__NO_SIGNED_ZEROS__) || defined(__RECIPROCAL_MATH__))
#define LIBSCAN_FAST_MATH
#endif

namespace libscan::inline v1::detail {

/// The value of another type with the same bits.
template <class To, class From>
LIBSCAN_HOST_DEVICE constexpr To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

/// float or double: what the functions below treat specially. All else is compared as it is.
template <class T>
inline constexpr bool is_float_or_double = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// A float's or double's bits as an integer, sign and magnitude apart.
template <class T>
struct float_bits {
  using word = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr word magnitude_mask =
      sizeof(T) == 4 ? word(0x7fffffff) : word(0x7fffffffffffffff);
  static constexpr word infinity = sizeof(T) == 4 ? word(0x7f800000) : word(0x7ff0000000000000);

  word magnitude;
  bool negative;

  LIBSCAN_HOST_DEVICE explicit constexpr float_bits(T x)
      : magnitude(detail::bits_as<word>(x) & magnitude_mask),
        negative(detail::bits_as<word>(x) < 0) {}

  /// In the order of the numbers, -0 and +0 alike; neighbors are one apart.
  LIBSCAN_HOST_DEVICE constexpr word order() const { return negative ? -magnitude : magnitude; }

  /// The number with this order.
  LIBSCAN_HOST_DEVICE static constexpr T at(word order) {
    return detail::bits_as<T>(order < 0 ? ~magnitude_mask | -order : order);
  }
};

/// Whether x is NaN; false for integers.
template <class T>
LIBSCAN_HOST_DEVICE constexpr bool is_nan(T const& x) {
#ifdef LIBSCAN_FAST_MATH
  if constexpr (is_float_or_double<T>) {
    return float_bits<T>(x).magnitude > float_bits<T>::infinity;
  }
#endif
  if constexpr (requires { static_cast<bool>(x != x); }) {
    return static_cast<bool>(x != x);
  } else {
    return false;
  }
}

/// Whether x is neither infinite nor NaN; of floats and doubles.
template <class T>
LIBSCAN_HOST_DEVICE constexpr bool is_finite(T x) {
  static_assert(is_float_or_double<T>);
  return float_bits<T>(x).magnitude < float_bits<T>::infinity;
}

/// a < b; false if either is NaN.
template <class A, class B>
LIBSCAN_HOST_DEVICE constexpr bool less(A const& a, B const& b) {
#ifndef __CUDA_ARCH__  // where no comparison sets flags
  if constexpr (is_float_or_double<A> || is_float_or_double<B>) {
    using T = std::common_type_t<A, B>;
#ifdef LIBSCAN_FAST_MATH
    if constexpr (is_float_or_double<T>) {
      auto const x = static_cast<T>(a), y = static_cast<T>(b);
      return !detail::is_nan(x) && !detail::is_nan(y) &&
             float_bits<T>(x).order() < float_bits<T>(y).order();
    }
#else
    if (!std::is_constant_evaluated()) {
      return __builtin_isless(static_cast<T>(a), static_cast<T>(b));
    }
#endif
  }
#endif
  return static_cast<bool>(a < b);
}

/// a <= b; false if either is NaN.
template <class A, class B>
LIBSCAN_HOST_DEVICE constexpr bool less_or_equal(A const& a, B const& b) {
#ifndef __CUDA_ARCH__
  if constexpr (is_float_or_double<A> || is_float_or_double<B>) {
    using T = std::common_type_t<A, B>;
#ifdef LIBSCAN_FAST_MATH
    if constexpr (is_float_or_double<T>) {
      auto const x = static_cast<T>(a), y = static_cast<T>(b);
      return !detail::is_nan(x) && !detail::is_nan(y) &&
             float_bits<T>(x).order() <= float_bits<T>(y).order();
    }
#else
    if (!std::is_constant_evaluated()) {
      return __builtin_islessequal(static_cast<T>(a), static_cast<T>(b));
    }
#endif
  }
#endif
  return static_cast<bool>(a <= b);
}

/// a == b; false if either is NaN.
template <class T>
LIBSCAN_HOST_DEVICE constexpr bool equal(T const& a, T const& b) {
#ifdef LIBSCAN_FAST_MATH
  if constexpr (is_float_or_double<T>) {
    return !detail::is_nan(a) && !detail::is_nan(b) &&
           float_bits<T>(a).order() == float_bits<T>(b).order();
  }
#endif
  return static_cast<bool>(a == b);
}

/// x, hidden from a compiler that may reorder arithmetic: what x was computed from
/// is not joined with what is computed from it. Costs nothing elsewhere.
template <class T>
LIBSCAN_HOST_DEVICE constexpr T as_written(T x) {
#ifdef LIBSCAN_FAST_MATH
  if constexpr (std::is_floating_point_v<T>) {
    if (std::is_constant_evaluated()) return x;
#if defined(__x86_64__)
    if constexpr (is_float_or_double<T>) {
      asm("" : "+x"(x));
      return x;
    }
#elif defined(__aarch64__)
    if constexpr (is_float_or_double<T>) {
      asm("" : "+w"(x));
      return x;
    }
#endif
    asm("" : "+m"(x));
  }
#endif
  return x;
}

}  // namespace libscan::inline v1::detail
