// SPDX-License-Identifier: Apache-2.0
// The second half of the strategies that scan tiles first: what comes before a tile is added to all
// its items (Harris 2007, "Arrays of Arbitrary Size").
#pragma once

#include <libscan/device/strategies/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// out[i] = before[i / TileItems] op in[i]. Reads n and a value per warp and tile, writes n. in ==
/// out is allowed.
template <int BlockThreads, int TileItems, class Op>
struct uniform_add_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = BlockThreads;

  template <class Out>
  __device__ void operator()(T const* before, T const* in, Out out, index_t n, Op op) const {
    for (index_t base = index_t{blockIdx.x} * TileItems; base < n;
         base += index_t{gridDim.x} * TileItems) {
      T const carry = before[base / TileItems];
      index_t const end = n - base < TileItems ? n : base + TileItems;
      for (index_t i = base + threadIdx.x; i < end; i += BlockThreads) out[i] = op(carry, in[i]);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
