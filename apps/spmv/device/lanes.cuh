// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels of products: reads that leave the caches to x, and sums over a warp.
#pragma once

#include <type_traits>

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Reads data that are used only once: entries and offsets. The hint keeps them from evicting x
/// from the caches.
template <class Entry>
__device__ __forceinline__ Entry read_once(Entry const* entry) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_arithmetic_v<Entry>) {
    return __ldcs(entry);
  }
#endif
  return *entry;
}

/// The sum of one value per lane, in all lanes, in a fixed order. The operator must commute. All
/// lanes of the warp call.
template <class T, class Op>
__device__ __forceinline__ T sum_of_lanes(T x, Op op) {
#pragma unroll
  for (int distance = simt::warp_size / 2; distance > 0; distance /= 2) {
    x = op(x, simt::shfl_xor(simt::full_warp, x, distance));
  }
  return x;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
