// SPDX-License-Identifier: Apache-2.0
// Ranks of a warp's digits: by documented means, ballots that show which lanes hold the same digit;
// or faster, by counters in shared memory, whose order among the lanes must then be checked.
#pragma once

#include <apps/radix_sort/device/shared_counter.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/tuning/radix_sort.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The lanes of `among` that have the caller's digit: one ballot a bit. All lanes of the warp call;
/// the result is undefined in lanes outside `among`.
template <int Bits>
__device__ __forceinline__ unsigned lanes_of_digit(unsigned digit, unsigned among) {
  unsigned same = among;
#pragma unroll
  for (int bit = 0; bit < Bits; ++bit) {
    bool const one = (digit >> bit & 1u) != 0;
    unsigned const ones = simt::ballot(simt::full_warp, one);
    same &= one ? ones : ~ones;
  }
  return same;
}

/// How many items with the caller's digit its warp has counted so far, including those of earlier
/// lanes in this row; counts the row. `counts`: the warp's, one for each digit. `valid`: whether
/// the caller has an item; without one the result is undefined. All lanes of the warp call.
template <int Bits>
__device__ __forceinline__ unsigned rank_row(unsigned* counts, unsigned digit, bool valid) {
  unsigned const same = device::lanes_of_digit<Bits>(digit, valid ? simt::full_warp : 0) &
                        simt::ballot(simt::full_warp, valid);
  unsigned before = 0;
  if (valid) before = counts[digit];
  simt::sync_warp();
  unsigned const earlier = same & simt::lanemask_lt();
  if (valid && earlier == 0) counts[digit] = before + static_cast<unsigned>(simt::popc(same));
  simt::sync_warp();
  return before + static_cast<unsigned>(simt::popc(earlier));
}

/// Counts the caller's digit; returns the counter's old value. Lanes with the same digit get theirs
/// in any order: the hardware's, or for tests from the first lane to the last, or from the last to
/// the first. All lanes of the warp call.
template <rank_order Ranks>
__device__ __forceinline__ unsigned take_place(unsigned* counts, unsigned digit, bool valid) {
  if constexpr (Ranks == rank_order::hardware) {
    return valid ? take_from_counter(counts[digit], 1) : 0;
  } else {
    unsigned const same =
        lanes_of_digit<8>(digit, simt::full_warp) & simt::ballot(simt::full_warp, valid);
    unsigned const ahead =
        same & (Ranks == rank_order::reversed ? simt::lanemask_gt() : simt::lanemask_lt());
    unsigned const first = valid ? counts[digit] : 0;
    simt::sync_warp();
    if (valid && ahead == 0) counts[digit] = first + static_cast<unsigned>(simt::popc(same));
    simt::sync_warp();
    return first + static_cast<unsigned>(simt::popc(ahead));
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
