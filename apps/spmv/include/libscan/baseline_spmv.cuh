// SPDX-License-Identifier: Apache-2.0
// The two baselines: one thread per row, and one warp per row (Bell & Garland, "Implementing Sparse
// Matrix-Vector Multiplication on Throughput-Oriented Processors", 2009). Neither balances long
// rows against short ones.
#pragma once

#include <apps/spmv/core/row_result.hpp>
#include <apps/spmv/device/span_sums.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Row per thread.
struct scalar_spmv_kernel {
  static constexpr int block_threads = 256;
  static constexpr int block_rows = block_threads;

  template <class Value, class Offset, class X, class Y, class S>
  __device__ void operator()(csr_matrix<Value, Offset> matrix, X const* x,
                             row_result<Y, S> out) const {
    typename S::sum_type const add;
    index_t const row = index_t{blockIdx.x} * block_rows + threadIdx.x;
    if (row >= matrix.rows) return;
    auto sum = typename S::value_type(add.identity());
    auto const end = static_cast<index_t>(matrix.offsets[row + 1]);
    for (auto k = static_cast<index_t>(matrix.offsets[row]); k < end; ++k) {
      sum = add(sum, libscan::product_at(matrix, x, out.s, k));
    }
    out.put(row, sum);
  }
};

/// Row per warp.
struct vector_spmv_kernel {
  static constexpr int block_threads = 256;
  static constexpr int block_rows = block_threads / simt::warp_size;

  template <class Value, class Offset, class X, class Y, class S>
  __device__ void operator()(csr_matrix<Value, Offset> matrix, X const* x,
                             row_result<Y, S> out) const {
    typename S::sum_type const add;
    index_t const row = index_t{blockIdx.x} * block_rows + threadIdx.x / simt::warp_size;
    if (row >= matrix.rows) return;
    auto sum = typename S::value_type(add.identity());
    auto const end = static_cast<index_t>(matrix.offsets[row + 1]);
    auto k = static_cast<index_t>(matrix.offsets[row]) + simt::lane_id();
    for (; k < end; k += simt::warp_size) {
      sum = add(sum, libscan::product_at(matrix, x, out.s, k));
    }
    sum = device::sum_of_lanes(sum, add);
    if (simt::lane_id() == 0) out.put(row, sum);
  }
};

/// Launches either.
template <class Kernel, class Value, class Offset, class X, class Y, class S>
void launch_baseline(simt::stream on, csr_matrix<Value, Offset> const& matrix, X const* x,
                     row_result<Y, S> const& out) {
  auto const blocks =
      static_cast<unsigned>(libscan::ceil_div(matrix.rows, index_t{Kernel::block_rows}));
  simt::launch<Kernel>({.blocks = blocks, .threads = Kernel::block_threads, .on = on}, matrix, x,
                       out);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
