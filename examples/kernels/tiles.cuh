// SPDX-License-Identifier: Apache-2.0
// Example: several items per thread. Threads add up their own, the block scans the threads' sums.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/core/operators.hpp>

namespace examples {

/// Items of a block, for four items per thread.
inline constexpr int tile_items = 4 * block_threads;

/// out[i] = the sum of the items up to i, within each tile.
struct tile_sums_kernel {
  struct shared_storage {
    block::tile_storage<int, block_threads, 4> tile;
    block::scan_storage<int, block_threads> scan;
  };
  __device__ void operator()(shared_storage& shared, int const* in, index_t n, int* out) const {
    index_t const base = index_t{blockIdx.x} * tile_items;
    int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);
    int x[4];
    block::load_tile(shared.tile, in, base, valid, 0, x);
    int sum = block::exclusive_scan(shared.scan, x[0] + x[1] + x[2] + x[3], plus<int>{}).prefix;
    for (int& item : x) item = sum += item;
    block::store_tile(shared.tile, out, base, valid, x);
  }
};

}  // namespace examples
