// SPDX-License-Identifier: Apache-2.0
// Streams, events and captured graphs with an owner, and kernels that keep a GPU busy for a while,
// for tests of what runs beside what. CUDA only.
#pragma once

#include <cstdint>
#include <utility>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::test {

/// A stream that waits for no other.
class scoped_stream {
 public:
  explicit scoped_stream(unsigned flags = cudaStreamNonBlocking, int priority = 0) {
    LIBSCAN_CHECK(cudaStreamCreateWithPriority(&stream_, flags, priority));
  }
  ~scoped_stream() { (void)cudaStreamDestroy(stream_); }
  scoped_stream(scoped_stream const&) = delete;
  scoped_stream& operator=(scoped_stream const&) = delete;

  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream.
class mark {
 public:
  explicit mark(cudaStream_t stream) {
    LIBSCAN_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    LIBSCAN_CHECK(cudaEventRecord(event_, stream));
  }
  ~mark() { (void)cudaEventDestroy(event_); }
  mark(mark const&) = delete;
  mark& operator=(mark const&) = delete;

  /// Whether the stream has come so far.
  bool passed() const {
    cudaError_t const code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return false;
    LIBSCAN_CHECK(code);
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// What a body queues on a stream, captured once, to be replayed.
class captured_graph {
 public:
  template <class Body>
  captured_graph(cudaStream_t stream, Body body) {
    LIBSCAN_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    body();
    cudaGraph_t graph;
    LIBSCAN_CHECK(cudaStreamEndCapture(stream, &graph));
    LIBSCAN_CHECK(cudaGraphInstantiate(&replay_, graph, 0));
    LIBSCAN_CHECK(cudaGraphDestroy(graph));
  }
  ~captured_graph() { (void)cudaGraphExecDestroy(replay_); }
  captured_graph(captured_graph const&) = delete;
  captured_graph& operator=(captured_graph const&) = delete;

  void replay(cudaStream_t stream) const { LIBSCAN_CHECK(cudaGraphLaunch(replay_, stream)); }

 private:
  cudaGraphExec_t replay_ = nullptr;
};

/// Nanoseconds that pass on the GPU.
__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Does nothing until so much time has passed since each block began; then ends by itself.
struct occupy_kernel {
  static constexpr int block_threads = 1024;
  __device__ void operator()(std::uint64_t duration) const {
    std::uint64_t const start = nanoseconds();
    while (nanoseconds() - start < duration) __nanosleep(1000);
  }
};

/// Keeps that many multiprocessors for `milliseconds`: with so much of the shared memory that no
/// other kernel's block fits beside.
inline void occupy(int multiprocessors, int milliseconds, cudaStream_t stream) {
  if (multiprocessors == 0) return;
  int device = 0, most = 0;
  LIBSCAN_CHECK(cudaGetDevice(&device));
  LIBSCAN_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  simt::launch<occupy_kernel>({.blocks = static_cast<unsigned>(multiprocessors),
                               .threads = occupy_kernel::block_threads,
                               .dynamic_shared_bytes = static_cast<std::size_t>(most),
                               .on = stream},
                              static_cast<std::uint64_t>(milliseconds) * 1000000);
}

}  // namespace libscan::test
