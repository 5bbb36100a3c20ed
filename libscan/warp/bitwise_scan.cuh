// SPDX-License-Identifier: Apache-2.0
// Prefix sums of small integers, one bit at a time: a binary scan per bit, weighted by its power of
// two (Harris & Garland, 3.2.2.1). Faster than the shuffle scan for a few bits only.
#pragma once

#include <libscan/warp/binary_scan.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// Sum scan of the low `Bits` bits of one integer per lane; higher bits must be 0.
/// Result: `prefix` sums the values of the covered lanes, `total` those of all lanes of `mask`.
/// Synchronization: all lanes of `mask` call. Orders no memory.
/// Cost: one ballot and two population counts per bit.
template <int Bits, scan_kind Kind = scan_kind::exclusive,
          scan_direction Direction = scan_direction::forward>
__device__ __forceinline__ scan_result<unsigned> bitwise_scan(unsigned x,
                                                              unsigned mask = simt::full_warp) {
  static_assert(Bits >= 1 && Bits <= 32);
  scan_result<unsigned> sum{0, 0};
#pragma unroll
  for (int bit = 0; bit < Bits; ++bit) {
    binary_scan_result const ones = warp::binary_scan<Kind, Direction>((x >> bit & 1u) != 0, mask);
    sum.prefix += static_cast<unsigned>(ones.rank) << bit;
    sum.total += static_cast<unsigned>(ones.count) << bit;
  }
  return sum;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
