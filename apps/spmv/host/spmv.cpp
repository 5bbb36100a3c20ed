// SPDX-License-Identifier: Apache-2.0
// Products for the host API: checks a matrix once and vectors each time, and passes them to an
// engine. From lists of entries to matrices by rows, the same way.
#include <libscan/spmv.hpp>

#include <chrono>
#include <memory>

#include <apps/spmv/host/checks.hpp>
#include <apps/spmv/host/semiring_choice.hpp>
#include <apps/spmv/host/spmv_device.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/huge_pages.hpp>
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
  cpu::detail::check_indices("spmv", threads, matrix.indices.data(), matrix.nonzeros(),
                             matrix.columns);
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
  using kept = std::unique_ptr<detail::kept_matrix<T>>;
  kept_ =
      detail::on_engine(
          on, matrix_.rows + matrix_.nonzeros,
          [&](auto device) -> kept {
            return detail::device_spmv<decltype(device), T>::keep(device, matrix_);
          },
          [&](int threads) -> kept { return std::make_unique<cpu_matrix<T>>(threads, matrix_); })
          .release();
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

namespace {

/// `count` zeros in memory of huge pages.
template <class T>
void fill_new(std::vector<T>& items, std::size_t count) {
  items.reserve(count);
  cpu::advise_huge_pages(items.data(), count * sizeof(T));
  items.resize(count);
}

template <class T>
index_t to_rows_on_cpu(int threads, coo_matrix<T> const& list, sparse_matrix<T>& matrix) {
  if (list.values != nullptr) {
    return cpu::detail::coo_to_csr("to_rows", threads, list, matrix.offsets.data(),
                                   matrix.indices.data(), matrix.values.data());
  }
  return cpu::detail::coo_to_csr("to_rows", threads, detail::places_of(list), matrix.offsets.data(),
                                 matrix.indices.data(), static_cast<no_values*>(nullptr));
}

}  // namespace

template <class T>
sparse_matrix<T> to_rows(engine const& on, coo_matrix<T> const& list) {
  detail::check_list<std::int64_t>("to_rows", list);
  int const threads = detail::host_threads(on);
  if (on.runs_kernels()) {  // the cpu engine's call checks them itself
    cpu::detail::check_indices("to_rows", threads, list.row_indices, list.entries, list.rows);
    cpu::detail::check_indices("to_rows", threads, list.indices, list.entries, list.columns);
  }
  auto const max_entries = static_cast<std::size_t>(detail::expanded_entries(list));
  sparse_matrix<T> matrix;
  matrix.rows = list.rows;
  matrix.columns = list.columns;
  fill_new(matrix.offsets, static_cast<std::size_t>(list.rows) + 1);
  fill_new(matrix.indices, max_entries);
  if (list.values != nullptr) fill_new(matrix.values, max_entries);
  index_t const count = detail::on_engine(
      on, list.entries,
      [&](auto device) {
        return detail::device_spmv<decltype(device), T>::to_rows(device, list, matrix);
      },
      [&](int) { return to_rows_on_cpu(threads, list, matrix); });
  matrix.indices.resize(static_cast<std::size_t>(count));
  if (list.values != nullptr) matrix.values.resize(static_cast<std::size_t>(count));
  return matrix;
}

template sparse_matrix<float> to_rows(engine const&, coo_matrix<float> const&);
template sparse_matrix<double> to_rows(engine const&, coo_matrix<double> const&);
template sparse_matrix<std::int64_t> to_rows(engine const&, coo_matrix<std::int64_t> const&);

}  // namespace libscan::inline v1
