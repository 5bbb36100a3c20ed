// SPDX-License-Identifier: Apache-2.0
// Counters in shared memory. On a GPU these are the plain atomics, for which the compiler emits the
// instructions of shared memory: libcu++ lets atomics take any address, which is several times
// slower.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// counter += x, atomically; orders no memory.
__device__ __forceinline__ void add_to_counter(unsigned& counter, unsigned x) {
#ifdef __CUDACC__
  atomicAdd(&counter, x);
#else
  simt::block_atomic_ref<unsigned>(counter).fetch_add(x, simt::memory_order_relaxed);
#endif
}

/// The same; returns the old value.
__device__ __forceinline__ unsigned take_from_counter(unsigned& counter, unsigned x) {
#ifdef __CUDACC__
  return atomicAdd(&counter, x);
#else
  return simt::block_atomic_ref<unsigned>(counter).fetch_add(x, simt::memory_order_relaxed);
#endif
}

/// Counters in shared memory that keep the first address: from a pointer the compiler would find it
/// again for each atomic.
class shared_counters {
 public:
  explicit __device__ shared_counters(unsigned* first) : first_(first) {
#ifdef __CUDACC__
    address_ = simt::opaque(static_cast<unsigned>(__cvta_generic_to_shared(first)));
#endif
  }

  __device__ unsigned& operator[](int i) const { return first_[i]; }

  /// counter i += x; returns the old value.
  __device__ __forceinline__ unsigned take(int i, unsigned x) const {
#ifdef __CUDACC__
    unsigned before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(address_ + static_cast<unsigned>(i) * 4), "r"(x)
                 : "memory");
    return before;
#else
    return take_from_counter(first_[i], x);
#endif
  }

 private:
  unsigned* first_;
#ifdef __CUDACC__
  unsigned address_;
#endif
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
