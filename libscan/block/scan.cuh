// SPDX-License-Identifier: Apache-2.0
// Scan of one value per thread of a block: each warp scans its values by shuffles, then every warp
// scans the warps' totals (the two-level scheme of Sengupta, Harris & Garland 2008).
#pragma once

#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

/// Shared memory of a block scan. Reusable as soon as a scan has returned.
template <class T, int BlockThreads>
struct scan_storage {
  static_assert(BlockThreads % simt::warp_size == 0 && BlockThreads <= 1024,
                "the production block scan takes whole warps; the textbook scans take any size");
  T warp_total[BlockThreads / simt::warp_size];
};

using warp::scan_result;

/// Exclusive scan of one value per warp, which lane 0 passes.
/// Result: `prefix` combines the values of all warps before the caller's, `total` those of all
/// warps.
/// Synchronization: all threads of a one-dimensional block call. Ends with a barrier, so `storage`
/// is reusable at once.
template <class T, int BlockThreads, class Op>
__device__ scan_result<T> scan_of_warps(scan_storage<T, BlockThreads>& storage, T warp_value,
                                        Op op) {
  constexpr int warps = BlockThreads / simt::warp_size;
  int const lane = simt::lane_id();
  int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
  if (lane == 0) storage.warp_total[warp] = warp_value;
  simt::sync_block();
  // Every warp scans the totals itself: that is cheaper than one warp and a second barrier. All
  // lanes compute the identity: where only some did, nvcc 13.0 let an operator that branches take
  // them through shuffles of their own.
  T mine = op.identity();
  if (lane < warps) mine = storage.warp_total[lane];
  scan_result<T> const scanned = warp::exclusive_scan(mine, op);
  T const prefix = simt::shfl(simt::full_warp, scanned.prefix, warp);
  simt::sync_block();
  return {prefix, scanned.total};
}

/// prefix = x[0] op ... op x[thread - 1], the operator's identity in thread 0; total = all of them.
/// Types: the operator need not commute.
/// Synchronization: all threads of a one-dimensional block of BlockThreads call. Ends with a
/// barrier, so `storage` is reusable at once.
template <class T, int BlockThreads, class Op>
__device__ scan_result<T> exclusive_scan(scan_storage<T, BlockThreads>& storage, T x, Op op) {
  scan_result<T> const in_warp = warp::exclusive_scan(x, op);
  scan_result<T> const of_warps = block::scan_of_warps(storage, in_warp.total, op);
  return {op(of_warps.prefix, in_warp.prefix), of_warps.total};
}

/// prefix = x[0] op ... op x[thread]. Otherwise as `exclusive_scan`.
template <class T, int BlockThreads, class Op>
__device__ scan_result<T> inclusive_scan(scan_storage<T, BlockThreads>& storage, T x, Op op) {
  scan_result<T> const in_warp = warp::inclusive_scan(x, op);
  scan_result<T> const of_warps = block::scan_of_warps(storage, in_warp.total, op);
  return {op(of_warps.prefix, in_warp.prefix), of_warps.total};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
