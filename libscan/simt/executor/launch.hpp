// SPDX-License-Identifier: Apache-2.0
// Executor backend: memory, streams and launches. Every call has finished its work when it returns.
#pragma once

#include <cstring>
#include <typeinfo>
#include <utility>

#include <libscan/simt/executor/runtime.hpp>
#include <libscan/simt/executor/settings.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_executor::simt {

/// A queue of work. The executor has only one, and each call finishes its work before it returns.
struct stream {};

/// Shape of a launch. The stream is a parameter only because CUDA needs it.
struct launch_config {
  dim3 blocks;
  dim3 threads;
  std::size_t dynamic_shared_bytes = 0;
  simt::stream on{};
  bool cooperative = false;
  bool cluster = false;  ///< all blocks form one cluster, at most `max_cluster_blocks`
};

namespace executor {

/// Whether a kernel names a `shared_storage`.
template <class Kernel>
concept has_shared_storage = requires {
  typename Kernel::shared_storage;
};

/// Size and alignment of a kernel's shared storage; none by default.
template <class Kernel>
struct shared_layout {
  static constexpr std::size_t bytes = 0, alignment = 16;
};

/// For a kernel that has one.
template <has_shared_storage Kernel>
struct shared_layout<Kernel> {
  static constexpr std::size_t bytes = sizeof(typename Kernel::shared_storage);
  static constexpr std::size_t alignment = alignof(typename Kernel::shared_storage);
};

/// Runs one thread of a kernel: calls a closure that holds the arguments.
template <class Closure>
#ifdef __SANITIZE_THREAD__
// g++ does not announce to checkers a structure that a call returns into memory. With all calls
// inlined, as on a GPU, there are none.
[[gnu::flatten]]
#endif
void run_thread(void* closure) {
  (*static_cast<Closure const*>(closure))();
}

/// What a launch needs of a kernel's type. All else is compiled once for all kernels.
struct kernel_code {
  char const* name;
  std::size_t shared_bytes, shared_alignment;
  void (*body)(void*);  ///< runs one thread
};

/// Runs a kernel to its end.
inline void run(launch_config const& config, kernel_code const& kernel, void* arguments,
                std::size_t argument_bytes) {
  grid work;
  work.blocks = config.blocks;
  work.threads = config.threads;
  work.static_shared_bytes = kernel.shared_bytes;
  work.shared_alignment = kernel.shared_alignment;
  work.dynamic_shared_bytes = config.dynamic_shared_bytes;
  work.cooperative = config.cooperative;
  work.cluster = config.cluster;
  work.kernel = kernel.name;
  work.body = kernel.body;
  work.arguments = arguments;
  work.argument_bytes = argument_bytes;
  executor::run(work);
}

}  // namespace executor

template <class Kernel, class... Args>
void launch(launch_config const& config, Args... args) {
  // A closure compiles faster than a tuple. Each thread has arguments of its own, as on a GPU.
  auto closure = [args...] {
    [](Args... argument) {
      if constexpr (executor::has_shared_storage<Kernel>) {
        using storage = typename Kernel::shared_storage;
        Kernel{}(*static_cast<storage*>(executor::static_shared_memory()), argument...);
      } else {
        Kernel{}(argument...);
      }
    }(args...);
  };
  using layout = executor::shared_layout<Kernel>;
  executor::run(config,
                {typeid(Kernel).name(), layout::bytes, layout::alignment,
                 executor::run_thread<decltype(closure)>},
                &closure, sizeof closure);
}

inline int multiprocessor_count() { return executor::current_settings().multiprocessors; }

template <class Kernel, class... Args>
int resident_blocks_per_multiprocessor(int /*block_threads*/,
                                       std::size_t /*dynamic_shared_bytes*/ = 0) {
  return 1;
}

inline void* allocate(std::size_t bytes, stream = {}) {
  void* const memory = executor::allocate(bytes);
  std::memset(memory, 0xcb, bytes);  // device memory starts with arbitrary contents
  return memory;
}

inline void deallocate(void* memory, stream = {}) { executor::deallocate(memory); }

inline void fill_async(void* memory, int byte, std::size_t bytes, stream = {}) {
  if (bytes != 0) std::memset(memory, byte, bytes);
}

inline void copy_async(void* target, void const* source, std::size_t bytes, stream = {}) {
  if (bytes != 0) std::memcpy(target, source, bytes);
}

inline void synchronize(stream = {}) {}

/// The most blocks of the kernel that can form a cluster: as on an H200.
template <class Kernel, class... Args>
int max_cluster_blocks() {
  return executor::max_cluster_blocks;
}

/// As on an H200.
inline std::size_t max_shared_bytes() { return executor::shared_bytes_of_block; }

/// Whether the current device has bulk copies (the executor has), and a block can hold Kernel's
/// shared storage.
template <class Kernel>
bool device_can_pipeline() {
  return sizeof(typename Kernel::shared_storage) <= max_shared_bytes();
}

}  // namespace libscan::inline v1_executor::simt
