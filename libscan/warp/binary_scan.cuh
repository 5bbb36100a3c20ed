// SPDX-License-Identifier: Apache-2.0
// Prefix sums of one bit per lane: one ballot, one population count (Harris & Garland, "Optimizing
// Parallel Prefix Operations for the Fermi Architecture", 3.2.2.1, Listings 3.2 and 3.3).
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/warp/lane_masks.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// One lane's share of a binary scan: how many of the lanes its prefix covers are true, and how
/// many of all lanes.
struct binary_scan_result {
  int rank;
  int count;
};

/// How many lanes of `mask` hold true; the same in all of them. All lanes of `mask` must call, and
/// each must be named by it. Orders no memory.
__device__ __forceinline__ int count(bool predicate, unsigned mask = simt::full_warp) {
  return simt::popc(simt::ballot(mask, predicate));
}

/// The lanes that a prefix of this kind and direction covers, seen from the calling lane.
template <scan_kind Kind, scan_direction Direction, class LaneMasks = hardware_lane_masks>
__device__ __forceinline__ unsigned covered_lanes() {
  if constexpr (Direction == scan_direction::forward) {
    return Kind == scan_kind::inclusive ? LaneMasks::le() : LaneMasks::lt();
  } else {
    return Kind == scan_kind::inclusive ? LaneMasks::ge() : LaneMasks::gt();
  }
}

/// Scan of one predicate per lane. `rank` = true lanes before the caller (forward exclusive, the
/// default), up to and including it (inclusive), behind it, or from it on (reverse); `count` = all
/// true lanes. Calling rules as for `count`.
template <scan_kind Kind = scan_kind::exclusive, scan_direction Direction = scan_direction::forward,
          class LaneMasks = hardware_lane_masks>
__device__ __forceinline__ binary_scan_result binary_scan(bool predicate,
                                                          unsigned mask = simt::full_warp) {
  unsigned const set = simt::ballot(mask, predicate);
  return {simt::popc(set & warp::covered_lanes<Kind, Direction, LaneMasks>()), simt::popc(set)};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
