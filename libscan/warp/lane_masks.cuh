// SPDX-License-Identifier: Apache-2.0
// Two ways to get the mask of the lanes below or above a lane: from the hardware's special
// registers (one instruction), or by arithmetic on the lane number (about four; Harris & Garland,
// Listings 3.3 and 3.4).
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

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

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
