// SPDX-License-Identifier: Apache-2.0
// Example: threads that append different numbers of items to one queue. A scan gives each thread
// its place within the block, one atomic addition gives the block its place in the queue.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>

namespace examples {

/// Thread i appends wanted[i] items, all of them i. A block's items stay together and in order;
/// the blocks come in any order. *size counts the items, and is 0 before.
struct append_kernel {
  struct shared_storage {
    block::scan_storage<int, block_threads> scan;
    index_t first;  // of the block's items
  };
  __device__ void operator()(shared_storage& shared, int const* wanted, index_t n, index_t* queue,
                             index_t* size) const {
    index_t const i = this_item();
    int const k = i < n ? wanted[i] : 0;
    auto const mine = block::exclusive_scan(shared.scan, k, plus<int>{});
    if (threadIdx.x == 0) shared.first = simt::atomic_ref(*size).fetch_add(mine.total, relaxed);
    simt::sync_block();
    for (int j = 0; j < k; ++j) queue[shared.first + mine.prefix + j] = i;
  }
};

}  // namespace examples
