// SPDX-License-Identifier: Apache-2.0
// What the facade asks of its CUDA side, in plain C++. Internal.
#pragma once

#include <apps/spmv/spmv.hpp>

namespace libscan::inline v1::detail {

/// The list's places alone.
template <class T>
coo_matrix<no_values> places_of(coo_matrix<T> const& list) {
  return {list.rows,    list.columns, list.entries, list.row_indices,
          list.indices, nullptr,      list.kind};
}

template <class T>
struct cuda_spmv {
  /// Entries of the matrix, written to `matrix`, whose arrays have room for all.
  static index_t to_rows(int device, coo_matrix<T> const& list, sparse_matrix<T>& matrix);
  /// A copy of a checked matrix, complete.
  static std::unique_ptr<kept_matrix<T>> keep(int device, csr_matrix<T> const& matrix);
};

}  // namespace libscan::inline v1::detail
