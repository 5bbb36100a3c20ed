// SPDX-License-Identifier: Apache-2.0
// Memory of the machine of an engine, for tests in plain C++: a GPU's by the CUDA runtime, or the
// executor's.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#ifdef LIBSCAN_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include <libscan/c_api.h>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_queue.hpp>

namespace libscan::test {

/// At least one byte, aligned to 256.
inline void* allocate_on([[maybe_unused]] engine const& on, std::size_t bytes) {
#ifdef LIBSCAN_WITH_CUDA
  if (on.is_cuda()) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes + 1) != cudaSuccess) throw std::bad_alloc();
    return memory;
  }
#endif
  void* const memory = std::aligned_alloc(256, (bytes / 256 + 1) * 256);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

inline void deallocate_on([[maybe_unused]] engine const& on, void* memory) {
#ifdef LIBSCAN_WITH_CUDA
  if (on.is_cuda()) {
    (void)cudaFree(memory);
    return;
  }
#endif
  std::free(memory);
}

/// The queue of the C calls for an engine that runs kernels.
inline libscan_queue queue_of(engine const& on) {
  libscan_queue queue{};
  queue.machine = on.is_cuda() ? LIBSCAN_CUDA : LIBSCAN_EXECUTOR;
  queue.device = on.is_cuda() ? on.device() : 0;
  queue.seed = on.seed();
  return queue;
}

/// n items of T, freed with the object.
template <class T>
class device_memory {
 public:
  device_memory(engine const& on, index_t n)
      : on_(on),
        n_(static_cast<std::size_t>(n)),
        items_(static_cast<T*>(allocate_on(on, n_ * sizeof(T)))) {}
  device_memory(engine const& on, std::vector<T> const& items)
      : device_memory(on, static_cast<index_t>(items.size())) {
    write(items);
  }
  ~device_memory() { deallocate_on(on_, items_); }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;

  T* data() const { return items_; }

  /// Copies items to the front of the memory.
  void write(std::vector<T> const& items) const {
    copy_bytes(items_, items.data(), items.size() * sizeof(T));
  }

  /// The items after all work so far.
  std::vector<T> copy() const {
    std::vector<T> items(n_);
    copy_bytes(items.data(), items_, n_ * sizeof(T));
    return items;
  }

 private:
  void copy_bytes(void* to, void const* from, std::size_t bytes) const {
    if (bytes == 0) return;
#ifdef LIBSCAN_WITH_CUDA
    if (on_.is_cuda()) {
      if (cudaMemcpy(to, from, bytes, cudaMemcpyDefault) != cudaSuccess ||
          cudaDeviceSynchronize() != cudaSuccess) {
        throw device_error(1, "the copy of a test failed");
      }
      return;
    }
#endif
    std::memcpy(to, from, bytes);
  }

  engine on_;
  std::size_t n_;
  T* items_;
};

/// The first `count` of the items.
template <class T>
std::vector<T> front(device_memory<T> const& memory, index_t count) {
  auto items = memory.copy();
  items.resize(static_cast<std::size_t>(count));
  return items;
}

/// A queue with exactly these bytes of workspace.
struct queue_with {
  device_memory<std::byte> memory;
  device_queue queue;

  queue_with(engine const& on, std::size_t bytes)
      : memory(on, static_cast<index_t>(bytes)),
        queue{.on = on, .workspace = memory.data(), .workspace_bytes = bytes} {}
};

}  // namespace libscan::test
