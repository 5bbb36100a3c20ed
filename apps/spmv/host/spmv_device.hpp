// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of the host API on a machine with kernels, in plain C++; spmv_device.cuh
// implements it. Internal.
#pragma once

#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// Only the places of a list.
template <class T>
coo_matrix<no_values> places_of(coo_matrix<T> const& list) {
  return {list.rows,    list.columns, list.entries, list.row_indices,
          list.indices, nullptr,      list.kind};
}

/// On a `cuda_device` or an `executor_run`; compiled for each type of entry.
template <class Machine, class T>
struct device_spmv {
  /// The number of entries of the matrix, written to `matrix`, whose arrays have space for all.
  static index_t to_rows(Machine on, coo_matrix<T> const& list, sparse_matrix<T>& matrix);
  /// A complete copy of a checked matrix.
  static std::unique_ptr<kept_matrix<T>> keep(Machine on, csr_matrix<T> const& matrix);
};

}  // namespace libscan::inline v1::detail
