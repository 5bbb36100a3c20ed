// SPDX-License-Identifier: Apache-2.0
// Products for the host API: checks a matrix once and vectors each time, and passes them to an
// engine.
#include <libscan/spmv.hpp>

#include <chrono>

#include <apps/spmv/host/checks.hpp>
#include <apps/spmv/host/semiring_choice.hpp>
#include <apps/spmv/host/spmv_device.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1 {

namespace {

template <class T>
class cpu_matrix final : public detail::kept_matrix<T> {
 public:
  cpu_matrix(int threads, csr_matrix<T> const& matrix) : threads_(threads), matrix_(matrix) {}

  double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how) override {
    using clock = std::chrono::steady_clock;
    auto const begun = clock::now();
    detail::with_product(matrix_, how, [&](auto const& matrix, auto s, T alpha, T beta) {
      cpu::spmv(threads_, matrix, x.data(), y.data(), s, alpha, beta);
    });
    return std::chrono::duration<double>(clock::now() - begun).count();
  }

 private:
  int threads_;
  csr_matrix<T> matrix_;
};

void check_length(char const* what, std::size_t got, index_t expected) {
  if (static_cast<index_t>(got) == expected) return;
  throw invalid_argument("spmv: " + std::string(what) + " has length " + std::to_string(got) +
                         "; expected " + std::to_string(expected));
}

template <class T>
csr_matrix<T> checked(engine const& on, sparse_matrix<T> const& matrix) {
  detail::check_shape("spmv", matrix.rows, matrix.columns, matrix.nonzeros());
  check_length("an array of offsets", matrix.offsets.size(), matrix.rows + 1);
  if (!matrix.values.empty()) {
    check_length("an array of values", matrix.values.size(), matrix.nonzeros());
  }
  int const threads = detail::host_threads(on);
  detail::check_offsets("spmv", threads, matrix.offsets.data(), matrix.rows, matrix.nonzeros());
  detail::check_indices("spmv", threads, matrix.indices.data(), matrix.nonzeros(), matrix.columns);
  return matrix.view();
}

/// Throws `invalid_argument` if n items at `other` overlap y.
template <class T, class U>
void check_no_overlap(char const* what, U const* other, index_t n, std::span<T> y) {
  if (!detail::memory_span(other, n, sizeof(U)).overlaps(std::as_bytes(y))) return;
  throw invalid_argument("spmv: y overlaps " + std::string(what) +
                         "; expected memory separate from it");
}

}  // namespace

template <class T>
prepared_matrix<T>::prepared_matrix(engine const& on, sparse_matrix<T> const& matrix)
    : matrix_(checked(on, matrix)) {
  kept_ = detail::on_engine(
      on, matrix_.rows + matrix_.nonzeros,
      [&](auto device) { return detail::device_spmv<decltype(device), T>::keep(device, matrix_); },
      [&](int threads) -> std::unique_ptr<detail::kept_matrix<T>> {
        return std::make_unique<cpu_matrix<T>>(threads, matrix_);
      });
}

template <class T>
double prepared_matrix<T>::multiply(std::span<T const> x, std::span<T> y,
                                    product_options<T> const& how) {
  check_length("x", x.size(), matrix_.columns);
  check_length("y", y.size(), matrix_.rows);
  check_no_overlap("x", x.data(), matrix_.columns, y);
  check_no_overlap("the offsets", matrix_.offsets, matrix_.rows + 1, y);
  check_no_overlap("the indices", matrix_.indices, matrix_.nonzeros, y);
  if (matrix_.values != nullptr)
    check_no_overlap("the values", matrix_.values, matrix_.nonzeros, y);
  return kept_->multiply(x, y, how);
}

template class prepared_matrix<float>;
template class prepared_matrix<double>;
template class prepared_matrix<std::int64_t>;

}  // namespace libscan::inline v1
