// SPDX-License-Identifier: Apache-2.0
// CUDA backend: memory, streams and launches. The whole library has this one __global__ function
// and this one __shared__ object.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include <cuda_runtime_api.h>

#include <libscan/simt/cuda/block.cuh>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_cuda::simt {

// CUDA backend: facts about the current device. Each fact is queried once per device: kernels can
// take only a few microseconds, about as long as a query.

namespace detail {

/// query(device) >= 0, for the current device. `query` has no state, and a type of its own.
template <class Query>
int device_fact(Query query) {
  constexpr int max_devices = 64;
  static std::atomic<int> known[max_devices];  // the fact plus 1; 0: not queried yet
  int device = 0;
  LIBSCAN_CHECK(cudaGetDevice(&device));
  if (device >= max_devices) return query(device);
  int fact = known[device].load(std::memory_order_relaxed);
  if (fact == 0) {
    fact = query(device) + 1;
    known[device].store(fact, std::memory_order_relaxed);
  }
  return fact - 1;
}

}  // namespace detail

inline int multiprocessor_count() {
  return detail::device_fact([](int device) {
    int count = 0;
    LIBSCAN_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
  });
}

/// The bytes of shared memory that a block may have: at least 64 KiB on every supported GPU.
inline std::size_t max_shared_bytes() {
  return static_cast<std::size_t>(detail::device_fact([](int device) {
    int bytes = 0;
    LIBSCAN_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes;
  }));
}

// CUDA's own built-ins, under names that kernels in other namespaces can import on both machines.
using ::blockDim;
using ::blockIdx;
using ::dim3;
using ::gridDim;
using ::threadIdx;
using ::uint3;

using stream = cudaStream_t;

/// Shape of a launch, and the stream it joins.
struct launch_config {
  dim3 blocks;
  dim3 threads;
  std::size_t dynamic_shared_bytes = 0;
  simt::stream on = nullptr;
  bool cooperative = false;
  bool cluster = false;  ///< all blocks form one cluster, at most `max_cluster_blocks`
};

namespace detail {

template <class Kernel>
concept has_shared_storage = requires {
  typename Kernel::shared_storage;
};

constexpr std::size_t max_static_shared_bytes = 48 * 1024;

template <class Kernel>
struct shared_layout {
  static constexpr std::size_t in_dynamic = 0, in_static = 0;
};

template <has_shared_storage Kernel>
struct shared_layout<Kernel> {
  static constexpr std::size_t bytes = sizeof(typename Kernel::shared_storage);
  static constexpr std::size_t in_dynamic = bytes > max_static_shared_bytes ? bytes : 0;
  static constexpr std::size_t in_static = bytes - in_dynamic;
};

template <class Kernel>
constexpr int max_threads() {
  if constexpr (requires { Kernel::block_threads; }) {
    return Kernel::block_threads;
  } else {
    return 1024;
  }
}

template <class Kernel>
constexpr int min_resident_blocks() {
  if constexpr (requires { Kernel::resident_blocks; }) {
    return Kernel::resident_blocks;
  } else {
    return 1;
  }
}

template <class Kernel>
concept programmatic_launch = requires {
  requires Kernel::programmatic_launch;
};

/// Waits until all earlier work in the launch's stream has ended and its writes are visible.
template <class Kernel>
__device__ __forceinline__ void wait_for_predecessor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (programmatic_launch<Kernel>) asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace detail

/// What is launched. Its name is in every program several times for each kernel: a short one.
template <class Kernel, class... Args>
__global__ __launch_bounds__(detail::max_threads<Kernel>(),
                             detail::min_resident_blocks<Kernel>()) void entry(Args... args) {
  detail::wait_for_predecessor<Kernel>();
  if constexpr (!detail::has_shared_storage<Kernel>) {
    Kernel{}(args...);
  } else if constexpr (detail::shared_layout<Kernel>::in_dynamic != 0) {
    using storage = typename Kernel::shared_storage;
    Kernel{}(*reinterpret_cast<storage*>(detail::dynamic_shared_bytes()), args...);
  } else {
    using storage = typename Kernel::shared_storage;
    __shared__ alignas(storage) unsigned char memory[sizeof(storage)];
    Kernel{}(*reinterpret_cast<storage*>(memory), args...);
  }
}

namespace detail {

/// Allows a kernel's blocks `bytes` of dynamic shared memory; above 48 KiB CUDA requires this.
/// Always allows all that the device has: the setting belongs to the kernel, and another thread may
/// be about to launch the same kernel with more.
template <class Kernel>
void allow_shared(void const* kernel, std::size_t bytes) {
  if (bytes <= max_static_shared_bytes) return;
  std::size_t const available = max_shared_bytes() - shared_layout<Kernel>::in_static;
  LIBSCAN_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(available)));
}

/// Makes one cluster of all blocks of a launch. More than 8 blocks need permission, which is given
/// for every launch: in a program of many files an earlier call's permission was gone.
inline void make_cluster(cudaLaunchConfig_t& config, cudaLaunchAttribute& attribute,
                         void const* kernel) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = config.gridDim.x;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (config.gridDim.x <= 8) return;
  LIBSCAN_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

/// The compute capability that a kernel's code for the current device was compiled for: 90 is 9.0.
template <class Kernel, class... Args>
int compiled_for() {
  return device_fact([](int) {
    cudaFuncAttributes code{};
    LIBSCAN_CHECK(cudaFuncGetAttributes(&code, entry<Kernel, Args...>));
    return code.ptxVersion;
  });
}

/// The same of a kernel that is launched with what its operator takes.
template <class Kernel, class Shared, class... Args>
int compiled_for(void (Kernel::*)(Shared&, Args...) const) {
  return detail::compiled_for<Kernel, Args...>();
}

/// Whether the kernel begins while the one before it in the stream still runs.
template <class Kernel, class... Args>
bool launches_early() {
  if constexpr (programmatic_launch<Kernel>) {
    return compiled_for<Kernel, Args...>() >= 90;
  } else {
    return false;
  }
}

}  // namespace detail

template <class Kernel, class... Args>
void launch(launch_config const& config, Args... args) {
  if (config.cluster && (config.cooperative || config.blocks.y != 1 || config.blocks.z != 1)) {
    throw invalid_argument("a cluster is a row of blocks, and not a cooperative launch");
  }
  auto const kernel = reinterpret_cast<void const*>(&entry<Kernel, Args...>);
  std::size_t const dynamic =
      config.dynamic_shared_bytes + detail::shared_layout<Kernel>::in_dynamic;
  detail::allow_shared<Kernel>(kernel, dynamic);
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t full{};
  full.gridDim = config.blocks;
  full.blockDim = config.threads;
  full.dynamicSmemBytes = dynamic;
  full.stream = config.on;
  full.attrs = &attribute;
  if (config.cooperative) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    full.numAttrs = 1;
  } else if (config.cluster && config.blocks.x > 1) {
    detail::make_cluster(full, attribute, kernel);
  } else if (detail::launches_early<Kernel, Args...>()) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    full.numAttrs = 1;
  }
  void* pointers[] = {static_cast<void*>(std::addressof(args))..., nullptr};
  LIBSCAN_CHECK(cudaLaunchKernelExC(&full, kernel, pointers));
#ifdef LIBSCAN_DEBUG_SYNC
  LIBSCAN_CHECK(cudaStreamSynchronize(config.on));
#endif
}

template <class Kernel, class... Args>
int resident_blocks_per_multiprocessor(int block_threads, std::size_t dynamic_shared_bytes = 0) {
  auto const kernel = reinterpret_cast<void const*>(&entry<Kernel, Args...>);
  std::size_t const dynamic = dynamic_shared_bytes + detail::shared_layout<Kernel>::in_dynamic;
  detail::allow_shared<Kernel>(kernel, dynamic);  // otherwise none of its blocks would be resident
  int blocks = 0;
  LIBSCAN_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_threads, dynamic));
  return blocks;
}

/// Whether the current device has bulk copies, its code was compiled for such a device, and a block
/// can hold Kernel's shared storage.
template <class Kernel>
bool device_can_pipeline() {
  return detail::compiled_for(&Kernel::operator()) >= 90 &&
         sizeof(typename Kernel::shared_storage) <= max_shared_bytes();
}

/// The most blocks of Kernel::block_threads that can form a cluster on the current device: 16, 8,
/// or 1.
template <class Kernel, class... Args>
int max_cluster_blocks() {
  if (detail::compiled_for<Kernel, Args...>() < 90) return 1;
  return detail::device_fact([](int) {
    auto const kernel = reinterpret_cast<void const*>(&entry<Kernel, Args...>);
    constexpr std::size_t dynamic = detail::shared_layout<Kernel>::in_dynamic;
    detail::allow_shared<Kernel>(kernel, dynamic);
    int max_blocks = 1;
    for (unsigned const blocks : {8u, 16u}) {
      cudaLaunchAttribute attribute{};
      cudaLaunchConfig_t full{};
      full.gridDim = blocks;
      full.blockDim = Kernel::block_threads;
      full.dynamicSmemBytes = dynamic;
      detail::make_cluster(full, attribute, kernel);
      int clusters = 0;
      if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &full) != cudaSuccess) break;
      if (clusters > 0) max_blocks = static_cast<int>(blocks);
    }
    (void)cudaGetLastError();
    return max_blocks;
  });
}

/// Success if this program contains code of the kernel that the current device can run; else why
/// not.
template <class Kernel, class... Args>
cudaError_t code_for_device() {
  cudaFuncAttributes attributes{};
  cudaError_t const found = cudaFuncGetAttributes(&attributes, entry<Kernel, Args...>);
  (void)cudaGetLastError();
  return found;
}

inline void* allocate(std::size_t bytes, stream on = nullptr) {
  void* memory = nullptr;
  if (bytes != 0) LIBSCAN_CHECK(cudaMallocAsync(&memory, bytes, on));
  return memory;
}

inline void deallocate(void* memory, stream on = nullptr) {
  if (memory != nullptr) LIBSCAN_CHECK(cudaFreeAsync(memory, on));
}

inline void fill_async(void* memory, int byte, std::size_t bytes, stream on = nullptr) {
  if (bytes != 0) LIBSCAN_CHECK(cudaMemsetAsync(memory, byte, bytes, on));
}

inline void copy_async(void* target, void const* source, std::size_t bytes, stream on = nullptr) {
  if (bytes != 0) LIBSCAN_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, on));
}

inline void synchronize(stream on = nullptr) { LIBSCAN_CHECK(cudaStreamSynchronize(on)); }

}  // namespace libscan::inline v1_cuda::simt
