// SPDX-License-Identifier: Apache-2.0
// Examples: how many, all, any. A warp's answer is one vote, a block's is one barrier.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace examples {

/// *found = how many items are below the limit, if it was 0: one atomic addition a warp.
struct count_below_kernel {
  __device__ void operator()(int const* items, index_t n, int limit, index_t* found) const {
    index_t const i = this_item();
    int const count = warp::count(i < n && items[i] < limit);
    if (simt::lane_id() == 0) simt::atomic_ref(*found).fetch_add(count, relaxed);
  }
};

/// What every thread of a block knows after three votes.
struct block_facts {
  int negatives;
  bool ascending;
  bool has_zero;
};

/// facts[b] = those of block b's items; `ascending` looks at the next block's first item too.
struct inspect_kernel {
  __device__ void operator()(int const* items, index_t n, block_facts* facts) const {
    index_t const i = this_item();
    int const negatives = block::count(i < n && items[i] < 0);
    bool const ascending = block::all(i + 1 >= n || items[i] <= items[i + 1]);
    bool const has_zero = block::any(i < n && items[i] == 0);
    if (threadIdx.x == 0) facts[blockIdx.x] = {negatives, ascending, has_zero};
  }
};

}  // namespace examples
