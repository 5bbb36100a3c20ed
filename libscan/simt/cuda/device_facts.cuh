// SPDX-License-Identifier: Apache-2.0
// CUDA backend: facts about the current device. Each fact is queried once per device: kernels can
// take only a few microseconds, about as long as a query.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

#include <libscan/simt/cuda/check.cuh>

namespace libscan::inline v1_cuda::simt {

namespace detail {

/// ask(device) >= 0, for the current device. `ask` has no state, and a type of its own.
template <class Ask>
int device_fact(Ask ask) {
  constexpr int max_devices = 64;
  static std::atomic<int> known[max_devices];  // the fact plus 1; 0: not queried yet
  int device = 0;
  LIBSCAN_CHECK(cudaGetDevice(&device));
  if (device >= max_devices) return ask(device);
  int fact = known[device].load(std::memory_order_relaxed);
  if (fact == 0) {
    fact = ask(device) + 1;
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
    int room = 0;
    LIBSCAN_CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return room;
  }));
}

}  // namespace libscan::inline v1_cuda::simt
