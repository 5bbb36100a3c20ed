// SPDX-License-Identifier: Apache-2.0
// The textbook's algorithm: a product of matrix and vector is a segmented reduction of the products
// of all entries, with a row as a segment (Blelloch, Heroux & Zagha, "Segmented Operations for
// Sparse Matrix Computation on Vector Multiprocessors", 1993). It uses no kernel of its own.
#pragma once

#include <apps/spmv/core/row_result.hpp>
#include <libscan/segmented_reduce.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// [k]: the product of entry k. An iterator.
template <class Value, class Offset, class X, class S>
struct entry_products {
  csr_matrix<Value, Offset> matrix;
  X const* x;
  S s;
  __device__ typename S::value_type operator[](index_t k) const {
    return libscan::product_at(matrix, x, s, k);
  }
};

/// [r] = sum: writes row r. An output iterator.
template <class Y, class S>
struct row_sums {
  row_result<Y, S> out;

  struct reference {
    row_sums const& sums;
    index_t row;
    __device__ void operator=(typename S::value_type sum) const { sums.out.put(row, sum); }
  };
  __device__ reference operator[](index_t row) const { return {*this, row}; }
};

/// Writes all rows of the product.
template <class Value, class Offset, class X, class Y, class S>
void segmented_spmv(workspace& ws, csr_matrix<Value, Offset> const& matrix, X const* x,
                    row_result<Y, S> const& out) {
  libscan::segmented_reduce(ws, entry_products<Value, Offset, X, S>{matrix, x, out.s},
                            row_sums<Y, S>{out},
                            segment_offsets<Offset>{matrix.offsets, matrix.rows}, matrix.nonzeros,
                            typename S::sum_type{});
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
