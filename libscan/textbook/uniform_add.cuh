// SPDX-License-Identifier: Apache-2.0
// The second half of the strategies that scan tiles first: the carry of a tile is added to all its
// items (Harris 2007, "Arrays of Arbitrary Size").
#pragma once

#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// out[i] = before[i / t] op in[i], where a tile of t items has ItemsPerThread for each thread of a
/// block. Reads n and a value per warp and tile, writes n. `out` may be equal to `in`.
template <int MaxThreads, int ItemsPerThread, class Op>
struct uniform_add_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;

  template <class Out>
  __device__ void operator()(T const* before, T const* in, Out out, index_t n, Op op) const {
    index_t const tile_items = index_t{blockDim.x} * ItemsPerThread;
    for (index_t tile = blockIdx.x; tile * tile_items < n; tile += gridDim.x) {
      T const carry = before[tile];
      index_t const base = tile * tile_items;
      index_t const end = n - base < tile_items ? n : base + tile_items;
      for (index_t i = base + threadIdx.x; i < end; i += blockDim.x) out[i] = op(carry, in[i]);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
