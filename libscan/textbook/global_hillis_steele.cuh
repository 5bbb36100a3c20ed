// SPDX-License-Identifier: Apache-2.0
// Hillis and Steele's scan of a whole device: a launch for each step, since only the end of a
// launch is a barrier of all blocks (Hillis & Steele 1986; Harris 2007, "A Naive Parallel Scan",
// for more items than a block has). It shows what n log2 n additions cost beyond one block.
#pragma once

#include <libscan/textbook/names.hpp>
#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// out[i] = in[i - offset] op in[i], or in[i] if there is no such item before it.
template <int MaxThreads, class Op>
struct naive_step_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;

  template <class In>
  __device__ void operator()(In in, T* out, index_t n, index_t offset, Op op) const {
    index_t const threads = index_t{gridDim.x} * blockDim.x;
    for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
      T const own = static_cast<T>(in[i]);
      out[i] = i < offset ? own : op(static_cast<T>(in[i - offset]), own);
    }
  }
};

/// Applies `init`, shifts for an exclusive scan, and stores the total.
template <scan_kind Kind, int MaxThreads, class Op>
struct naive_store_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;

  template <class Out>
  __device__ void operator()(T const* scanned, Out out, index_t n, Op op, T init, T* total) const {
    index_t const threads = index_t{gridDim.x} * blockDim.x;
    for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
      if constexpr (Kind == scan_kind::inclusive) {
        out[i] = op(init, scanned[i]);
      } else {
        out[i] = i == 0 ? init : op(init, scanned[i - 1]);
      }
      if (total != nullptr && i == n - 1) *total = op(init, scanned[i]);
    }
  }
};

/// ceil(log2 n) steps between two arrays of the workspace, at least one, then a launch that stores.
/// A step reads nearly 2 n and writes n. n log2 n - (n - 1) additions if n is a power of two, and
/// those of `init`.
template <int MaxThreads>
struct global_hillis_steele : block_strategy<block::textbook::hillis_steele, MaxThreads> {
  using block_strategy<block::textbook::hillis_steele, MaxThreads>::block_strategy;
  static constexpr scan_strategy which = scan_strategy::global_hillis_steele;

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t n) const {
    return 2 * strategies::array_bytes<T>(n);
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) const {
    array_maker memory(ws.reserve(workspace_bytes<T, Out>(n)));
    T* scanned = memory.make<T>(n);
    T* next = memory.make<T>(n);
    auto const grid = this->grid_of(n, ws);
    simt::launch<naive_step_kernel<MaxThreads, Op>>(grid, in, scanned, n, index_t{1}, op);
    for (index_t offset = 2; offset < n; offset *= 2) {
      simt::launch<naive_step_kernel<MaxThreads, Op>>(grid, static_cast<T const*>(scanned), next, n,
                                                      offset, op);
      T* const written = next;
      next = scanned;
      scanned = written;
    }
    simt::launch<naive_store_kernel<Kind, MaxThreads, Op>>(grid, static_cast<T const*>(scanned),
                                                           out, n, op, init, d_total);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
