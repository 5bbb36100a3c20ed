// SPDX-License-Identifier: Apache-2.0
// From a semiring and a matrix with or without values, known at run time, to their types. Internal.
#pragma once

#include <apps/spmv/core/semiring.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// Calls body(semiring{}) for a semiring known at run time; returns its result.
template <class T, class Body>
decltype(auto) with_semiring(semiring_kind kind, Body&& body) {
  switch (kind) {
    case semiring_kind::min_plus:
      return body(min_plus<T>{});
    case semiring_kind::max_times:
      return body(max_times<T>{});
    case semiring_kind::or_and:
      return body(or_and<T>{});
    default:
      return body(plus_times<T>{});
  }
}

/// Calls body(matrix, semiring{}, alpha, beta) for a product known at run time: with `no_values` if
/// the matrix's values are null.
template <class T, class Body>
void with_product(csr_matrix<T> const& matrix, product_options<T> const& how, Body&& body) {
  libscan::detail::with_semiring<T>(how.semiring, [&](auto s) {
    T const alpha = how.alpha.value_or(s.one());
    T const beta = how.beta.value_or(s.zero());
    if (matrix.values != nullptr) return body(matrix, s, alpha, beta);
    csr_matrix<no_values> const places{matrix.rows, matrix.columns, matrix.nonzeros, matrix.offsets,
                                       matrix.indices};
    body(places, s, alpha, beta);
  });
}

}  // namespace libscan::inline v1::detail
