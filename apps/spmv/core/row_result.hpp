// SPDX-License-Identifier: Apache-2.0
// Shared by all products of matrix and vector, on every engine: the product of one entry, and the
// result of a row's sum.
#pragma once

#include <apps/spmv/core/numbers.hpp>
#include <apps/spmv/core/semiring.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1 {

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
