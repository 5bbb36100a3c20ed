// SPDX-License-Identifier: Apache-2.0
// Passes the product of scan-spmv by a selected algorithm to its engine.
#include <apps/spmv/program/product_by.hpp>

#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

template <class T>
double product_by(engine const& on, spmv_algorithm which, sparse_matrix<T> const& matrix,
                  std::span<T const> x, std::span<T> y, semiring_kind semiring, int repeat) {
  return libscan::detail::on_engine(
      on, matrix.rows + matrix.nonzeros(),
      [&](auto device) {
        return device_product<decltype(device), T>::run(device, which, matrix.view(), x, y,
                                                        semiring, repeat);
      },
      [](int) -> double {
        throw invalid_argument("product_by: the cpu engine; expected an engine that runs kernels");
      });
}

template double product_by(engine const&, spmv_algorithm, sparse_matrix<float> const&,
                           std::span<float const>, std::span<float>, semiring_kind, int);
template double product_by(engine const&, spmv_algorithm, sparse_matrix<double> const&,
                           std::span<double const>, std::span<double>, semiring_kind, int);
template double product_by(engine const&, spmv_algorithm, sparse_matrix<std::int64_t> const&,
                           std::span<std::int64_t const>, std::span<std::int64_t>, semiring_kind,
                           int);

}  // namespace libscan::apps
