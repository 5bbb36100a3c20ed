// SPDX-License-Identifier: Apache-2.0
// Examples: moving a block's items to where a predicate or their bits put them.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/radix_sort.cuh>

namespace examples {

/// Puts each block's even items before its odd ones, both in order; evens[b] = how many block b
/// has.
struct evens_first_kernel {
  using shared_storage = block::binary_scan_storage<block_threads>;
  __device__ void operator()(shared_storage& shared, int const* in, index_t n, int* out,
                             int* evens) const {
    index_t const i = this_item(), first = i - threadIdx.x;
    auto const place = block::split(shared, i >= n || in[i] % 2 != 0);
    if (i < n) out[first + place.position] = in[i];
    if (threadIdx.x == 0) evens[blockIdx.x] = place.falses;
  }
};

/// Sorts each block's keys, in place.
struct sort_kernel {
  using shared_storage = block::radix_sort_storage<unsigned, block_threads>;
  __device__ void operator()(shared_storage& shared, unsigned* keys, index_t n) const {
    index_t const i = this_item();
    unsigned const key = block::radix_sort(shared, i < n ? keys[i] : ~0u);
    if (i < n) keys[i] = key;
  }
};

}  // namespace examples
