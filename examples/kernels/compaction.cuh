// SPDX-License-Identifier: Apache-2.0
// Examples: ranks among the true ones. The rank of an item that stays is its new place.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/binary_scan.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace examples {

/// Moves each warp's items other than 0 to the front of its 32 places, in order; kept[w] = how
/// many warp w keeps.
struct compact_warp_kernel {
  __device__ void operator()(int const* in, index_t n, int* out, int* kept) const {
    index_t const i = this_item(), first = i - simt::lane_id();
    bool const keep = i < n && in[i] != 0;
    auto const place = warp::binary_scan(keep);
    if (keep) out[first + place.rank] = in[i];
    if (simt::lane_id() == 0) kept[first / simt::warp_size] = place.count;
  }
};

/// The same for each block and its `block_threads` places.
struct compact_block_kernel {
  using shared_storage = block::binary_scan_storage<block_threads>;
  __device__ void operator()(shared_storage& shared, int const* in, index_t n, int* out,
                             int* kept) const {
    index_t const i = this_item(), first = i - threadIdx.x;
    bool const keep = i < n && in[i] != 0;
    auto const place = block::binary_scan(shared, keep);
    if (keep) out[first + place.rank] = in[i];
    if (threadIdx.x == 0) kept[blockIdx.x] = place.count;
  }
};

/// How many flags of a warp are set before a lane, up to it, after it, from it on.
struct four_ranks {
  int before;
  int up_to;
  int after;
  int from;
};

/// ranks[i] = the four ranks of lane i among one warp's flags.
struct four_ranks_kernel {
  __device__ void operator()(int const* flags, four_ranks* ranks) const {
    using enum scan_kind;
    using enum scan_direction;
    bool const set = flags[threadIdx.x] != 0;
    ranks[threadIdx.x] = {warp::binary_scan<exclusive, forward>(set).rank,
                          warp::binary_scan<inclusive, forward>(set).rank,
                          warp::binary_scan<exclusive, reverse>(set).rank,
                          warp::binary_scan<inclusive, reverse>(set).rank};
  }
};

}  // namespace examples
