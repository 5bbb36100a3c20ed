// SPDX-License-Identifier: Apache-2.0
// CUDA backend: atomics, on libcu++.
#pragma once

#include <cuda/atomic>

namespace libscan::inline v1_cuda::simt {

using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;

template <class T>
struct atomic_ref : cuda::atomic_ref<T, cuda::thread_scope_device> {
  using value_type = T;
  __device__ explicit atomic_ref(T& object)
      : cuda::atomic_ref<T, cuda::thread_scope_device>(object) {}
};

template <class T>
struct block_atomic_ref : cuda::atomic_ref<T, cuda::thread_scope_block> {
  using value_type = T;
  __device__ explicit block_atomic_ref(T& object)
      : cuda::atomic_ref<T, cuda::thread_scope_block>(object) {}
};

__device__ __forceinline__ void thread_fence() { __threadfence(); }
__device__ __forceinline__ void exchange_fence() {
  cuda::atomic_thread_fence(memory_order_acq_rel, cuda::thread_scope_device);
}
__device__ __forceinline__ void thread_fence_block() { __threadfence_block(); }

}  // namespace libscan::inline v1_cuda::simt
