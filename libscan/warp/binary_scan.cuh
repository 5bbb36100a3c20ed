// SPDX-License-Identifier: Apache-2.0
// Prefix sums of one bit per lane: one ballot and one population count (Harris & Garland,
// "Optimizing Parallel Prefix Operations for the Fermi Architecture", 3.2.2.1, Listings 3.2 and
// 3.3).
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

// Two ways to get the mask of the lanes below or above a lane: from the hardware's special
// registers (one instruction), or by arithmetic on the lane number (about four; Harris & Garland,
// Listings 3.3 and 3.4).

/// Lane masks from special registers.
struct hardware_lane_masks {
  static __device__ __forceinline__ unsigned lt() { return simt::lanemask_lt(); }
  static __device__ __forceinline__ unsigned le() { return simt::lanemask_le(); }
  static __device__ __forceinline__ unsigned ge() { return simt::lanemask_ge(); }
  static __device__ __forceinline__ unsigned gt() { return simt::lanemask_gt(); }
};

/// Lane masks by arithmetic. The lane is the linear thread index modulo 32. (The printed form takes
/// threadIdx.x, which is wrong in blocks of two or three dimensions.)
struct arithmetic_lane_masks {
  static __device__ __forceinline__ unsigned lt() { return (1u << lane()) - 1u; }
  static __device__ __forceinline__ unsigned le() { return (2u << lane()) - 1u; }
  static __device__ __forceinline__ unsigned ge() { return ~lt(); }
  static __device__ __forceinline__ unsigned gt() { return ~le(); }

 private:
  static __device__ __forceinline__ int lane() { return simt::thread_rank() % simt::warp_size; }
};

/// One lane's result of a binary scan: how many lanes of its prefix are true, and how many of all
/// lanes.
struct binary_scan_result {
  int rank;
  int count;
};

/// The number of lanes of `mask` whose predicate is true; the same in all of them.
/// Synchronization: all lanes of `mask` call, and each caller is in `mask`. Orders no memory.
__device__ __forceinline__ int count(bool predicate, unsigned mask = simt::full_warp) {
  return simt::popc(simt::ballot(mask, predicate));
}

/// The lanes that the calling lane's prefix covers, by kind and direction.
template <scan_kind Kind, scan_direction Direction, class LaneMasks = hardware_lane_masks>
__device__ __forceinline__ unsigned covered_lanes() {
  if constexpr (Direction == scan_direction::forward) {
    return Kind == scan_kind::inclusive ? LaneMasks::le() : LaneMasks::lt();
  } else {
    return Kind == scan_kind::inclusive ? LaneMasks::ge() : LaneMasks::gt();
  }
}

/// Scan of one predicate per lane.
/// Result: `rank` counts the true lanes before the caller (exclusive), or up to and including it
/// (inclusive). In reverse it counts those after the caller, or from it on. `count` counts all true
/// lanes.
/// Synchronization: as for `count`.
template <scan_kind Kind = scan_kind::exclusive, scan_direction Direction = scan_direction::forward,
          class LaneMasks = hardware_lane_masks>
__device__ __forceinline__ binary_scan_result binary_scan(bool predicate,
                                                          unsigned mask = simt::full_warp) {
  unsigned const set = simt::ballot(mask, predicate);
  return {simt::popc(set & warp::covered_lanes<Kind, Direction, LaneMasks>()), simt::popc(set)};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
