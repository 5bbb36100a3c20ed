// SPDX-License-Identifier: Apache-2.0
// Prefix sums of one bit per thread of a block: each warp scans by a ballot, then one warp scans
// the warps' counts (Harris & Garland, 3.2.2.3, Listing 3.6). Uses at most 33 words of shared
// memory.
#pragma once

#include <libscan/warp/binary_scan.cuh>
#include <libscan/warp/bitwise_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

using warp::binary_scan_result;

/// How the warps' counts are scanned: by shuffles, or bit by bit. A count can be 32, so it takes 6
/// bits (the chapter says 5).
enum class partial_sums { generic, bitwise };

/// Shared memory of a block binary scan. Reusable as soon as a call has returned.
template <int BlockThreads>
struct binary_scan_storage {
  static constexpr int warps = (BlockThreads + simt::warp_size - 1) / simt::warp_size;
  // First each warp's count, then the counts before it; the last word is the total.
  int before[warps + 1];
};

namespace detail {

/// The sum of `x` over the lanes before the caller's. The last lanes of a warp may be missing.
template <partial_sums How>
__device__ int sum_before(int x) {
  if constexpr (How == partial_sums::bitwise) {
    return static_cast<int>(warp::bitwise_scan<6>(static_cast<unsigned>(x)).prefix);
  } else {
    int sum = x;
#pragma unroll
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      int const earlier = simt::shfl_up(simt::full_warp, sum, distance);
      if (simt::lane_id() >= distance) sum += earlier;
    }
    return sum - x;
  }
}

}  // namespace detail

/// Binary scan of one predicate per thread.
/// Result: `rank` counts the true threads before the caller (or up to it, after it, from it on: see
/// warp::binary_scan), `count` all true threads of the block.
/// Types: BlockThreads is from 1 to 1024, in up to three dimensions.
/// Synchronization: all threads call. Ends with a barrier, so `storage` is reusable at once.
template <scan_kind Kind = scan_kind::exclusive, scan_direction Direction = scan_direction::forward,
          partial_sums How = partial_sums::generic, int BlockThreads>
__device__ binary_scan_result binary_scan(binary_scan_storage<BlockThreads>& storage,
                                          bool predicate) {
  constexpr int warps = binary_scan_storage<BlockThreads>::warps;
  int const thread = simt::thread_rank();
  int const own_warp = thread / simt::warp_size;
  // 1 scan each warp; 2 its first lane stores the count
  binary_scan_result const in_warp = warp::binary_scan<Kind, Direction>(predicate);
  if (simt::lane_id() == 0) storage.before[own_warp] = in_warp.count;
  simt::sync_block();
  // 3 one warp scans the counts. (The printed form reads words that no thread wrote if the block
  // has fewer than 32 warps.)
  if (thread < simt::warp_size) {
    int const mine = thread < warps ? storage.before[thread] : 0;
    int const before = detail::sum_before<How>(mine);
    simt::sync_warp();
    if (thread < warps) storage.before[thread] = before;
    if (thread == warps - 1) storage.before[warps] = before + mine;
  }
  simt::sync_block();
  // 4 add the counts before the warp, or after it
  int const before = storage.before[own_warp];
  int const total = storage.before[warps];
  simt::sync_block();
  int const outside =
      Direction == scan_direction::forward ? before : total - before - in_warp.count;
  return {outside + in_warp.rank, total};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
