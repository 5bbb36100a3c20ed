// SPDX-License-Identifier: Apache-2.0
// Separate scans of the segments of a block. A segment begins at each thread whose head flag is
// set, and at thread 0. Each warp scans its own values; then the warps' last values carry over to
// the next head.
#pragma once

#include <libscan/block/scan.cuh>
#include <libscan/core/segments.hpp>
#include <libscan/warp/segmented_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

/// Shared memory of a segmented block scan. Reusable as soon as a call has returned.
template <class T, int BlockThreads>
using segmented_scan_storage = scan_storage<flagged<T>, BlockThreads>;

/// A thread's result: its segment's values up to it.
template <class T>
struct segmented_scan_result {
  T prefix;  ///< the caller's segment before it (and itself, if the scan is inclusive)
  T last;    ///< the last segment of the block: carries over into the next tile
};

/// Scan within segments, by any operator, which need not commute. An exclusive scan gives the
/// identity at a head.
/// Synchronization: all threads of a one-dimensional block of whole warps call. Ends with a
/// barrier.
template <scan_kind Kind = scan_kind::exclusive, class T, int BlockThreads, class Op>
__device__ segmented_scan_result<T> segmented_scan(segmented_scan_storage<T, BlockThreads>& storage,
                                                   T x, bool head, Op op) {
  unsigned const heads = simt::ballot(simt::full_warp, head);
  T const inclusive = warp::segmented_scan<scan_kind::inclusive>(x, heads, op).prefix;
  flagged<T> const of_warp{simt::shfl(simt::full_warp, inclusive, simt::warp_size - 1), heads != 0};
  auto const of_warps = block::scan_of_warps(storage, of_warp, segmented<Op>{op});
  bool const continues = (heads & simt::lanemask_le()) == 0;  // no head in this warp up to here
  T const full = continues ? op(of_warps.prefix.value, inclusive) : inclusive;
  if constexpr (Kind == scan_kind::inclusive) return {full, of_warps.total.value};
  T const before = simt::shfl_up(simt::full_warp, full, 1);
  T const entering = simt::lane_id() == 0 ? of_warps.prefix.value : before;
  T const nothing = op.identity();
  return {head ? nothing : entering, of_warps.total.value};
}

/// The number of true threads in the caller's segment before it (and itself, if inclusive). The
/// warps' parts are ballots. Otherwise as `segmented_scan`.
template <scan_kind Kind = scan_kind::exclusive, int BlockThreads>
__device__ segmented_scan_result<int> segmented_binary_scan(
    segmented_scan_storage<int, BlockThreads>& storage, bool predicate, bool head) {
  unsigned const heads = simt::ballot(simt::full_warp, head);
  auto const in_warp = warp::segmented_binary_scan<Kind>(predicate, heads);
  flagged<int> const of_warp{simt::shfl(simt::full_warp, in_warp.count, simt::warp_size - 1),
                             heads != 0};
  auto const of_warps = block::scan_of_warps(storage, of_warp, segmented<plus<int>>{});
  bool const continues = (heads & simt::lanemask_le()) == 0;
  return {in_warp.rank + (continues ? of_warps.prefix.value : 0), of_warps.total.value};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
