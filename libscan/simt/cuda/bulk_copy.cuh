// SPDX-License-Identifier: Apache-2.0
// CUDA backend: mbarriers and bulk copies (PTX ISA 8.0, sm_90). Calling them on an older GPU traps;
// device code checks `has_bulk_copy` first.
#pragma once

#include <cstdint>

#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_cuda::simt {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define LIBSCAN_BULK_COPY_ASM(...) asm volatile(__VA_ARGS__)
inline constexpr bool has_bulk_copy = true;
#else
#define LIBSCAN_BULK_COPY_ASM(...) __trap()
inline constexpr bool has_bulk_copy = false;
#endif

// Code for sm_90a runs on no other GPU. It has bulk copies, and 227 KiB of shared memory to a
// block.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
inline constexpr bool always_pipelines = true;
#else
inline constexpr bool always_pipelines = false;
#endif

/// Ends the kernel with an error, which the next call to CUDA returns.
__device__ __forceinline__ void trap() { __trap(); }

namespace detail {

__device__ __forceinline__ unsigned shared_address(void const* generic) {
  return static_cast<unsigned>(__cvta_generic_to_shared(generic));
}

}  // namespace detail

class mbarrier {
 public:
  __device__ __forceinline__ void init(unsigned arrivals) {
    LIBSCAN_BULK_COPY_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                          : "memory");
  }
  __device__ __forceinline__ void invalidate() {
    LIBSCAN_BULK_COPY_ASM("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ void arrive() {
    LIBSCAN_BULK_COPY_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ void arrive_expect(unsigned bytes) {
    LIBSCAN_BULK_COPY_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                          "r"(bytes)
                          : "memory");
  }
  __device__ __forceinline__ bool try_wait(unsigned parity) {
    unsigned done = 0;
    LIBSCAN_BULK_COPY_ASM(
        "{\n\t.reg .pred done;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, done;\n\t}"
        : "=r"(done)
        : "r"(address()), "r"(parity)
        : "memory");
    return done != 0;
  }
  __device__ __forceinline__ void wait(unsigned parity) {
    while (!try_wait(parity)) {
    }
  }

 private:
  __device__ __forceinline__ unsigned address() const { return detail::shared_address(this); }

  alignas(8) std::uint64_t opaque_;
};

__device__ __forceinline__ void bulk_load(void* shared_target, void const* global_source,
                                          unsigned bytes, mbarrier& barrier,
                                          l2_priority priority = l2_normal) {
  if (priority == l2_normal) {
    LIBSCAN_BULK_COPY_ASM(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(detail::shared_address(shared_target)),
        "l"(__cvta_generic_to_global(global_source)), "r"(bytes),
        "r"(detail::shared_address(&barrier))
        : "memory");
  } else {
    LIBSCAN_BULK_COPY_ASM(
        "{\n\t.reg .b64 policy;\n\t"
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n\t"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], policy;\n\t}" ::"r"(detail::shared_address(shared_target)),
        "l"(__cvta_generic_to_global(global_source)), "r"(bytes),
        "r"(detail::shared_address(&barrier))
        : "memory");
  }
}

__device__ __forceinline__ void fence_mbarrier_init() {
  LIBSCAN_BULK_COPY_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void fence_proxy_async() {
  LIBSCAN_BULK_COPY_ASM("fence.proxy.async.shared::cta;" ::: "memory");
}

#undef LIBSCAN_BULK_COPY_ASM

}  // namespace libscan::inline v1_cuda::simt
