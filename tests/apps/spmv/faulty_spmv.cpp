// SPDX-License-Identifier: Apache-2.0
// A product whose last component is wrong. Linked into scan-spmv in place of the real one, it shows
// that --verify notices.
#include <apps/spmv/host/semiring_choice.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1 {

template <class T>
prepared_matrix<T>::prepared_matrix(engine const&, sparse_matrix<T> const& matrix)
    : matrix_(matrix.view()) {}

template <class T>
double prepared_matrix<T>::multiply(std::span<T const> x, std::span<T> y,
                                    product_options<T> const& how) {
  detail::with_product(matrix_, how, [&](auto const& matrix, auto s, T alpha, T beta) {
    cpu::spmv(1, matrix, x.data(), y.data(), s, alpha, beta);
  });
  if (!y.empty()) y.back() += 1;
  return 0;
}

template class prepared_matrix<float>;
template class prepared_matrix<double>;
template class prepared_matrix<std::int64_t>;

}  // namespace libscan::inline v1
