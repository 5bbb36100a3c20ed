// SPDX-License-Identifier: Apache-2.0
// Example: lane masks by themselves, to rank a lane among any set of lanes.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace examples {

/// ranks[i] = how many earlier lanes of the warp hold the same key: the place of item i within its
/// bucket. LaneMasks: warp::hardware_lane_masks or warp::arithmetic_lane_masks.
template <class LaneMasks>
struct rank_in_bucket_kernel {
  __device__ void operator()(unsigned const* keys, index_t n, int* ranks) const {
    index_t const i = this_item();
    unsigned const equal = simt::match_any(simt::full_warp, i < n ? keys[i] : 0u);
    if (i < n) ranks[i] = simt::popc(equal & LaneMasks::lt());
  }
};

}  // namespace examples
