// SPDX-License-Identifier: Apache-2.0
// Separate scans of the segments of a warp. A segment begins at each lane whose head flag is set,
// and at lane 0 (Harris & Garland, 3.2.2.2, Listing 3.5; the generic form after Sengupta et al.
// 2007).
#pragma once

#include <libscan/warp/binary_scan.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// The segment of a lane: its first lane, and the one after its last.
struct segment {
  int begin;
  int end;

  /// The lanes of the segment, as a mask.
  __device__ unsigned lanes() const {
    return (simt::full_warp << begin) &
           (end == simt::warp_size ? simt::full_warp : (1u << end) - 1);
  }
};

/// The calling lane's segment. Bit k of `heads` is set if a segment begins at lane k.
__device__ __forceinline__ segment segment_of_lane(unsigned heads) {
  // The printed form masks with lanemask_lt and so loses the lane's own flag: a head would continue
  // the segment before it. It also shifts by 32 in the warp's first segment, which is undefined in
  // C++.
  unsigned const before = (heads | 1u) & simt::lanemask_le();
  unsigned const past = heads & simt::lanemask_gt();
  return {simt::warp_size - 1 - simt::clz(before),
          past == 0 ? simt::warp_size : simt::ffs(past) - 1};
}

/// Binary scan within segments. `heads` is the same word in all lanes.
/// Result: `rank` counts the true lanes of the caller's segment that the prefix covers, `count` all
/// true lanes of that segment.
/// Synchronization: all lanes of the warp call. Orders no memory.
template <scan_kind Kind = scan_kind::exclusive>
__device__ __forceinline__ binary_scan_result segmented_binary_scan(bool predicate,
                                                                    unsigned heads) {
  unsigned const set = simt::ballot(simt::full_warp, predicate) & segment_of_lane(heads).lanes();
  return {simt::popc(set & warp::covered_lanes<Kind, scan_direction::forward>()), simt::popc(set)};
}

/// The same with each lane's own head flag.
template <scan_kind Kind = scan_kind::exclusive>
__device__ __forceinline__ binary_scan_result segmented_binary_scan(bool predicate, bool head) {
  return warp::segmented_binary_scan<Kind>(predicate, simt::ballot(simt::full_warp, head));
}

/// Scan within segments, by any operator.
/// Result: `prefix` combines the values of the caller's segment before it (and its own, if
/// inclusive; the identity at a head of an exclusive scan), `total` those of its whole segment.
/// Synchronization: all lanes of the warp call. Orders no memory.
template <scan_kind Kind = scan_kind::exclusive, class T, class Op>
__device__ scan_result<T> segmented_scan(T x, unsigned heads, Op op) {
  segment const own = segment_of_lane(heads);
  int const lane = simt::lane_id();
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    T const earlier = simt::shfl_up(simt::full_warp, x, distance);
    if (lane - distance >= own.begin) x = op(earlier, x);
  }
  T const total = simt::shfl(simt::full_warp, x, own.end - 1);
  T const before = simt::shfl_up(simt::full_warp, x, 1);
  if constexpr (Kind == scan_kind::inclusive) return {x, total};
  T const nothing = op.identity();
  return {lane == own.begin ? nothing : before, total};
}

/// The same with each lane's own head flag.
template <scan_kind Kind = scan_kind::exclusive, class T, class Op>
__device__ scan_result<T> segmented_scan(T x, bool head, Op op) {
  return warp::segmented_scan<Kind>(x, simt::ballot(simt::full_warp, head), op);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
