// SPDX-License-Identifier: Apache-2.0
// What the CUDA side provides for the host API, in plain C++. Internal.
#pragma once

#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// Only the places of a list.
template <class T>
coo_matrix<no_values> places_of(coo_matrix<T> const& list) {
  return {list.rows,    list.columns, list.entries, list.row_indices,
          list.indices, nullptr,      list.kind};
}

template <class T>
struct cuda_spmv {
  /// The number of entries of the matrix, written to `matrix`, whose arrays have space for all.
  static index_t to_rows(int device, coo_matrix<T> const& list, sparse_matrix<T>& matrix);
  /// A complete copy of a checked matrix.
  static std::unique_ptr<kept_matrix<T>> keep(int device, csr_matrix<T> const& matrix);
};

}  // namespace libscan::inline v1::detail
