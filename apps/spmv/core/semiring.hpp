// SPDX-License-Identifier: Apache-2.0
// The meaning of "multiply" and "add" in a product of matrix and vector. The sum is an operator of
// scans; a product of matrix and vector is then a segmented scan of products (Blelloch 1990; the
// semirings as in Kepner & Gilbert, "Graph Algorithms in the Language of Linear Algebra", 2011).
#pragma once

#include <concepts>
#include <type_traits>

#include <libscan/core/operators.hpp>

namespace libscan::inline v1 {

/// The requirements of a product: `sum_type`, an associative and commutative operator with an exact
/// identity (libscan/core/operators.hpp); `multiply`; `one()`, with multiply(one, x) == x; and
/// `zero()`, the result of an empty row, with sum(zero, x) == x except for the sign of a zero.
template <class S>
concept semiring = std::is_trivially_copyable_v<S> && monoid<typename S::sum_type> &&
    requires(S const s, typename S::value_type const a) {
  { s.multiply(a, a) } -> std::convertible_to<typename S::value_type>;
  { S::one() } -> std::convertible_to<typename S::value_type>;
  { S::zero() } -> std::convertible_to<typename S::value_type>;
};

namespace detail {

/// a * b with wrap-around for integers of either sign; plain multiplication otherwise.
template <class T>
LIBSCAN_HOST_DEVICE constexpr T wrapping_multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;  // not int, which overflows
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return detail::as_written(detail::as_written(a) * detail::as_written(b));
  } else {
    return a * b;
  }
}

}  // namespace detail

/// Sums of products: linear algebra.
template <class T>
struct plus_times {
  using value_type = T;
  using sum_type = plus<T>;
  LIBSCAN_HOST_DEVICE static constexpr T zero() { return T(0); }
  LIBSCAN_HOST_DEVICE static constexpr T one() { return T(1); }
  LIBSCAN_HOST_DEVICE constexpr T multiply(T a, T x) const {
    return detail::wrapping_multiply(a, x);
  }
};

/// Smallest of sums: one step of all shortest paths. zero() is +infinity (integers: the largest):
/// no path, and its product with anything is no path. one() is 0.
template <class T>
struct min_plus {
  using value_type = T;
  using sum_type = minimum<T>;
  LIBSCAN_HOST_DEVICE static constexpr T zero() { return detail::greatest_value<T>(); }
  LIBSCAN_HOST_DEVICE static constexpr T one() { return T(0); }
  LIBSCAN_HOST_DEVICE constexpr T multiply(T a, T x) const {
    return detail::equal(a, zero()) || detail::equal(x, zero()) ? zero()
                                                                : detail::wrapping_add(a, x);
  }
};

/// Largest of products: one step of most probable paths. zero() is -infinity (integers: the
/// smallest): no path, and its product with anything is no path.
template <class T>
struct max_times {
  using value_type = T;
  using sum_type = maximum<T>;
  LIBSCAN_HOST_DEVICE static constexpr T zero() { return detail::min_value<T>(); }
  LIBSCAN_HOST_DEVICE static constexpr T one() { return T(1); }
  LIBSCAN_HOST_DEVICE constexpr T multiply(T a, T x) const {
    return detail::equal(a, zero()) || detail::equal(x, zero()) ? zero()
                                                                : detail::wrapping_multiply(a, x);
  }
};

/// The earlier value if it is not 0, else the later: the sum of `or_and`.
template <class T>
struct logical_or {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return T(0); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    return detail::equal(earlier, T(0)) ? later : earlier;
  }
};

/// 1 if any nonzero entry meets a nonzero component, else 0: one step of reachability.
template <class T>
struct or_and {
  using value_type = T;
  using sum_type = logical_or<T>;
  LIBSCAN_HOST_DEVICE static constexpr T zero() { return T(0); }
  LIBSCAN_HOST_DEVICE static constexpr T one() { return T(1); }
  LIBSCAN_HOST_DEVICE constexpr T multiply(T a, T x) const {
    return detail::equal(a, T(0)) || detail::equal(x, T(0)) ? T(0) : T(1);
  }
};

}  // namespace libscan::inline v1
