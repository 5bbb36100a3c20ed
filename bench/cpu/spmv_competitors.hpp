// SPDX-License-Identifier: Apache-2.0
// Other ways to multiply a sparse matrix and a vector on a CPU: the loop over rows, the same loop
// shared out by OpenMP, and equal shares of rows and entries together (Merrill & Garland,
// "Merge-based Parallel Sparse Matrix-Vector Multiplication", 2016).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <libscan/matrix.hpp>

namespace libscan::bench::cpu {

/// A matrix by rows with 32-bit offsets.
template <class T>
using matrix_view = csr_matrix<T, std::int32_t>;

/// Row r of A x, by the loop that defines it.
template <class T>
T row_product(matrix_view<T> const& a, T const* x, index_t r) {
  T sum = 0;
  for (index_t k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += a.values[k] * x[a.indices[k]];
  return sum;
}

/// Rows [begin, end) of y = A x.
template <class T>
void multiply_rows(matrix_view<T> const& a, T const* x, T* y, index_t begin, index_t end) {
  for (index_t r = begin; r < end; ++r) y[r] = row_product(a, x, r);
}

#ifdef _OPENMP

/// y = A x; every thread gets the same number of rows.
template <class T>
void multiply_openmp_static(int threads, matrix_view<T> const& a, T const* x, T* y) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (index_t r = 0; r < a.rows; ++r) y[r] = row_product(a, x, r);
}

/// y = A x; threads take 256 rows at a time.
template <class T>
void multiply_openmp_dynamic(int threads, matrix_view<T> const& a, T const* x, T* y) {
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads)
  for (index_t r = 0; r < a.rows; ++r) y[r] = row_product(a, x, r);
}

/// The numbers of row ends and of entries among the first `diagonal` items of their merged
/// sequence, in which a row's end follows its entries.
template <class T>
std::pair<index_t, index_t> merge_coordinate(matrix_view<T> const& a, index_t diagonal) {
  index_t low = std::max<index_t>(diagonal - a.nonzeros, 0);
  index_t high = std::min(diagonal, a.rows);
  while (low < high) {
    index_t const middle = low + (high - low) / 2;
    if (a.offsets[middle + 1] <= diagonal - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low, diagonal - low};
}

/// y = A x; every thread gets the same number of rows and entries together. The partial sum of a
/// thread's last row is added when all are done.
template <class T>
void multiply_merge(int threads, matrix_view<T> const& a, T const* x, T* y) {
  index_t const items = a.rows + a.nonzeros;
  index_t const share = (items + threads - 1) / threads;
  std::vector<std::pair<index_t, T>> carries(static_cast<std::size_t>(threads));
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    auto [row, entry] = merge_coordinate(a, std::min(items, share * t));
    auto const [last_row, last_entry] = merge_coordinate(a, std::min(items, share * (t + 1)));
    for (; row < last_row; ++row) {
      T sum = 0;
      for (; entry < a.offsets[row + 1]; ++entry) sum += a.values[entry] * x[a.indices[entry]];
      y[row] = sum;
    }
    T open = 0;
    for (; entry < last_entry; ++entry) open += a.values[entry] * x[a.indices[entry]];
    carries[static_cast<std::size_t>(t)] = {last_row, open};
  }
  for (auto const& [row, sum] : carries) {
    if (row < a.rows) y[row] += sum;
  }
}

#endif

}  // namespace libscan::bench::cpu
