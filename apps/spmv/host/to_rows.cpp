// SPDX-License-Identifier: Apache-2.0
// From lists of entries to matrices by rows, for the host API: checks a list and passes it to its
// engine.
#include <libscan/spmv.hpp>

#include <apps/spmv/host/checks.hpp>
#include <apps/spmv/host/spmv_device.hpp>
#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/huge_pages.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1 {

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
    return cpu::coo_to_csr(threads, list, matrix.offsets.data(), matrix.indices.data(),
                           matrix.values.data());
  }
  return cpu::coo_to_csr(threads, detail::places_of(list), matrix.offsets.data(),
                         matrix.indices.data(), static_cast<no_values*>(nullptr));
}

}  // namespace

template <class T>
sparse_matrix<T> to_rows(engine const& on, coo_matrix<T> const& list) {
  detail::check_list<std::int64_t>(list);
  int const threads = detail::host_threads(on);
  detail::check_indices("to_rows", threads, list.row_indices, list.entries, list.rows);
  detail::check_indices("to_rows", threads, list.indices, list.entries, list.columns);
  auto const most = static_cast<std::size_t>(detail::expanded_entries(list));
  sparse_matrix<T> matrix;
  matrix.rows = list.rows;
  matrix.columns = list.columns;
  fill_new(matrix.offsets, static_cast<std::size_t>(list.rows) + 1);
  fill_new(matrix.indices, most);
  if (list.values != nullptr) fill_new(matrix.values, most);
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
