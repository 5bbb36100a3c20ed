// SPDX-License-Identifier: Apache-2.0
// Prefix sums of one bit per lane: one ballot, one population count (Harris & Garland, "Optimizing
// Parallel Prefix Operations for the Fermi Architecture", 3.2.2.1).
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// One lane's share of a binary scan: how many of the lanes before it are true, and how many in
/// all.
struct binary_scan_result {
  int rank;
  int count;
};

/// Exclusive scan of one predicate per lane: `rank` = true lanes below this one, `count` = true
/// lanes. All lanes of `mask` must call, and each must be named by it. Orders no memory.
__device__ __forceinline__ binary_scan_result binary_scan(bool predicate,
                                                          unsigned mask = simt::full_warp) {
  unsigned const set = simt::ballot(mask, predicate);
  return {simt::popc(set & simt::lanemask_lt()), simt::popc(set)};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
