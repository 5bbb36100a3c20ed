// SPDX-License-Identifier: Apache-2.0
// CUDA backend: barriers of blocks, clusters and grids, shared memory, vector access. See simt.cuh.
#pragma once

#include <cooperative_groups.h>

#include <concepts>
#include <cstring>
#include <utility>

#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_cuda::simt {

__device__ __forceinline__ int thread_rank() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

__device__ __forceinline__ void sync_block() { __syncthreads(); }
__device__ __forceinline__ int sync_block_count(bool predicate) {
  return __syncthreads_count(predicate);
}
__device__ __forceinline__ bool sync_block_and(bool predicate) {
  return __syncthreads_and(predicate) != 0;
}
__device__ __forceinline__ bool sync_block_or(bool predicate) {
  return __syncthreads_or(predicate) != 0;
}
__device__ __forceinline__ void sync_grid() { cooperative_groups::this_grid().sync(); }
/// The result of `arrive_grid`.
using grid_arrival = cooperative_groups::grid_group::arrival_token;
__device__ __forceinline__ grid_arrival arrive_grid() {
  return cooperative_groups::this_grid().barrier_arrive();
}
__device__ __forceinline__ void wait_grid(grid_arrival arrival) {
  cooperative_groups::this_grid().barrier_wait((std::move)(arrival));
}

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void arrive_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
template <class T>
__device__ __forceinline__ T& map_shared_rank(T& own, unsigned block) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(__builtin_addressof(own)), "r"(block));
  return *there;
}
#else
// A single block is its own cluster.
__device__ __forceinline__ void arrive_cluster() {}
__device__ __forceinline__ void wait_cluster() { __syncthreads(); }
template <class T>
__device__ __forceinline__ T& map_shared_rank(T& own, unsigned) {
  return own;
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
template <int Registers>
__device__ __forceinline__ void set_max_registers_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void set_max_registers_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
#else
template <int Registers>
__device__ __forceinline__ void set_max_registers_inc() {}
template <int Registers>
__device__ __forceinline__ void set_max_registers_dec() {}
#endif

template <std::integral T>
__device__ __forceinline__ T opaque(T x) {
  static_assert(sizeof(T) == 4);
  asm volatile("" : "+r"(x));
  return x;
}

namespace detail {

/// Start of all dynamic shared memory. A kernel's large storage takes the first bytes
/// (`shared_layout`).
__device__ __forceinline__ unsigned char* dynamic_shared_bytes() {
  extern __shared__ __align__(128) unsigned char libscan_dynamic_shared[];
  return libscan_dynamic_shared;
}

}  // namespace detail

/// For kernels whose own storage is static (up to 48 KB) or absent.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  return reinterpret_cast<T*>(detail::dynamic_shared_bytes());
}

template <int Count, class T>
__device__ __forceinline__ vector<T, Count> load_vector(T const* items) {
  return *reinterpret_cast<vector<T, Count> const*>(items);
}

template <int Count, class T>
__device__ __forceinline__ vector<T, Count> load_vector_to_keep(T const* items) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(vector<T, Count>) == 16) {
    uint4 bits;
    asm("{\n\t.reg .b64 policy;\n\t"
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n\t"
        "ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], policy;\n\t}"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(items)
        : "memory");
    vector<T, Count> values;
    memcpy(&values, &bits, sizeof(values));
    return values;
  }
#endif
  return load_vector<Count>(items);
}

/// In PTX, since the compiler splits an assignment into one store per member.
template <int Count, class T>
__device__ __forceinline__ void store_vector(T* items, vector<T, Count> const& values) {
  if constexpr (sizeof(values) == 16) {
    uint4 bits;
    memcpy(&bits, &values, sizeof(bits));
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(items), "r"(bits.x), "r"(bits.y),
                 "r"(bits.z), "r"(bits.w)
                 : "memory");
  } else if constexpr (sizeof(values) == 8) {
    uint2 bits;
    memcpy(&bits, &values, sizeof(bits));
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(items), "r"(bits.x), "r"(bits.y)
                 : "memory");
  } else if constexpr (sizeof(values) == 4) {
    unsigned bits;
    memcpy(&bits, &values, sizeof(bits));
    *reinterpret_cast<unsigned*>(items) = bits;
  } else {
    *reinterpret_cast<vector<T, Count>*>(items) = values;
  }
}

template <int Count, class T>
__device__ __forceinline__ void store_shared_vector(T* items, vector<T, Count> const& values) {
  if constexpr (sizeof(values) == 16) {
    uint4 bits;
    memcpy(&bits, &values, sizeof(bits));
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(items))),
                 "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w)
                 : "memory");
  } else {
    *reinterpret_cast<vector<T, Count>*>(items) = values;
  }
}

template <int Count, class T>
__device__ __forceinline__ void stream_vector(T* items, vector<T, Count> const& values) {
  static_assert(sizeof(values) == 16);
  uint4 bits;
  memcpy(&bits, &values, sizeof(bits));
  asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(items), "r"(bits.x), "r"(bits.y),
               "r"(bits.z), "r"(bits.w)
               : "memory");
}

}  // namespace libscan::inline v1_cuda::simt
