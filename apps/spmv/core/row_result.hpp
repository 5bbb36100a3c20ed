// SPDX-License-Identifier: Apache-2.0
// Shared by all products of matrix and vector, on every engine: the product of one entry, the
// result of a row's sum, and conversions to the numbers that are summed and back. Halves are
// widened to float exactly and rounded to nearest even (libscan/core/half.hpp).
#pragma once

#include <type_traits>

#include <apps/spmv/core/semiring.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/types.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1 {

/// A half as a float.
LIBSCAN_HOST_DEVICE inline float widened(float16 half) {
#ifdef __CUDA_ARCH__
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(half.bits));
  return number;
#else
  return static_cast<float>(half);
#endif
}
LIBSCAN_HOST_DEVICE inline float widened(bfloat16 half) { return static_cast<float>(half); }

/// Refuses entries other than numbers and types that convert to float like halves.
template <class Entry>
constexpr void refuse_entries() {
  static_assert(std::is_arithmetic_v<Entry> || std::is_constructible_v<float, Entry const&>,
                "libscan: entries of a matrix are numbers: integers, floats and halves");
}

/// An entry as a number of type T.
template <class T, class Entry>
LIBSCAN_HOST_DEVICE inline T as_number(Entry const& entry) {
  if constexpr (std::is_same_v<Entry, float16> || std::is_same_v<Entry, bfloat16>) {
    return static_cast<T>(libscan::widened(entry));
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
    half = static_cast<float>(number);
    return half;
  } else if constexpr (std::is_arithmetic_v<Entry>) {
    return static_cast<Entry>(number);
  } else {
    return Entry(static_cast<float>(number));
  }
}

/// The negative of an entry; integers wrap around.
template <class Entry>
LIBSCAN_HOST_DEVICE inline Entry negative(Entry const& entry) {
  using T = accumulator_t<Entry>;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<Entry>(U(0) - static_cast<U>(entry));
  } else {
    return libscan::as_entry<Entry>(-libscan::as_number<T>(entry));
  }
}

/// Entry k of a matrix times its component of x.
template <class S, class X, class Value, class Offset>
LIBSCAN_HOST_DEVICE inline typename S::value_type product_at(
    csr_matrix<Value, Offset> const& matrix, X const* x, S s, index_t k) {
  using T = typename S::value_type;
  T const component = libscan::as_number<T>(x[matrix.indices[k]]);
  if constexpr (std::is_same_v<Value, no_values>) {
    return component;
  } else {
    return s.multiply(libscan::as_number<T>(matrix.values[k]), component);
  }
}

/// y[r] = alpha * sum + beta * y[r], in the semiring; y is only read if beta is not its zero.
template <class Y, class S>
struct row_result {
  using T = typename S::value_type;
  Y* y;
  S s;
  T alpha;
  T beta;

  LIBSCAN_HOST_DEVICE void put(index_t row, T sum) const {
    T before = S::zero();
    if (!detail::equal(beta, S::zero())) before = s.multiply(beta, libscan::as_number<T>(y[row]));
    y[row] = libscan::as_entry<Y>(typename S::sum_type{}(before, s.multiply(alpha, sum)));
  }
};

}  // namespace libscan::inline v1
