// SPDX-License-Identifier: Apache-2.0
// Counters in shared memory. On a GPU these are the plain atomics, for which the compiler knows the
// instructions of shared memory: libcu++ has atomics take any address, several times slower.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// counter += x, whoever else does the same at once; orders no memory.
__device__ __forceinline__ void add_to_counter(unsigned& counter, unsigned x) {
#ifdef __CUDACC__
  atomicAdd(&counter, x);
#else
  simt::block_atomic_ref<unsigned>(counter).fetch_add(x, simt::memory_order_relaxed);
#endif
}

/// The same; returns what the counter was before.
__device__ __forceinline__ unsigned take_from_counter(unsigned& counter, unsigned x) {
#ifdef __CUDACC__
  return atomicAdd(&counter, x);
#else
  return simt::block_atomic_ref<unsigned>(counter).fetch_add(x, simt::memory_order_relaxed);
#endif
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
