// SPDX-License-Identifier: Apache-2.0
// Example: two sums of a block, by counting barriers and by a tree in shared memory.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/core/operators.hpp>

namespace examples {

/// by_counts[b] = by_tree[b] = the sum of block b's items, each below 16.
struct sum_kernel {
  using shared_storage = block::tree_reduce_storage<unsigned, block_threads>;
  __device__ void operator()(shared_storage& shared, unsigned const* items, index_t n,
                             unsigned* by_counts, unsigned* by_tree) const {
    index_t const i = this_item();
    unsigned const x = i < n ? items[i] : 0;
    unsigned const counted = block::sum_by_counts<4>(x);
    unsigned const added = block::tree_reduce(shared, x, plus<unsigned>{});
    if (threadIdx.x != 0) return;
    by_counts[blockIdx.x] = counted;
    by_tree[blockIdx.x] = added;
  }
};

}  // namespace examples
