// SPDX-License-Identifier: Apache-2.0
// Examples: scans that start again at each head of a segment, in a warp and in a block.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/warp/segmented_scan.cuh>

namespace examples {

/// ranks[i] = how many earlier items of i's segment are odd, within each warp. Items other than 0
/// in `heads` begin a segment, and so does each warp.
struct odd_ranks_kernel {
  __device__ void operator()(int const* in, unsigned char const* heads, index_t n,
                             int* ranks) const {
    index_t const i = this_item();
    bool const odd = i < n && in[i] % 2 != 0, head = i < n && heads[i] != 0;
    auto const place = warp::segmented_binary_scan(odd, head);
    if (i < n) ranks[i] = place.rank;
  }
};

/// shares[i] = item i's share of the sum of its segment, within each warp. Bit k of words[w] is
/// the head flag of item 32 w + k.
struct shares_kernel {
  __device__ void operator()(float const* in, unsigned const* words, index_t n,
                             float* shares) const {
    index_t const i = this_item();
    unsigned const heads = i - simt::lane_id() < n ? words[i / simt::warp_size] : 0;
    float const x = i < n ? in[i] : 0;
    float const sum = warp::segmented_scan(x, heads, plus<float>{}).total;
    if (i < n) shares[i] = x / sum;
  }
};

/// The same as `odd_ranks_kernel` for segments of a block.
struct odd_ranks_of_block_kernel {
  using shared_storage = block::segmented_scan_storage<int, block_threads>;
  __device__ void operator()(shared_storage& shared, int const* in, unsigned char const* heads,
                             index_t n, int* ranks) const {
    index_t const i = this_item();
    bool const odd = i < n && in[i] % 2 != 0, head = i < n && heads[i] != 0;
    auto const place = block::segmented_binary_scan(shared, odd, head);
    if (i < n) ranks[i] = place.prefix;
  }
};

/// out[i] = the sum of the items from the last head up to i. One block; segments of any length.
struct running_sums_kernel {
  using shared_storage = block::segmented_scan_storage<int, block_threads>;
  __device__ void operator()(shared_storage& shared, int const* in, unsigned char const* heads,
                             index_t n, int* out) const {
    int carry = 0;
    for (index_t base = 0; base < n; base += block_threads) {
      index_t const i = base + threadIdx.x;
      bool const head = i < n && heads[i] != 0;
      int const x = (i < n ? in[i] : 0) + (threadIdx.x == 0 && !head ? carry : 0);
      auto const sums = block::segmented_scan<scan_kind::inclusive>(shared, x, head, plus<int>{});
      if (i < n) out[i] = sums.prefix;
      carry = sums.last;
    }
  }
};

}  // namespace examples
