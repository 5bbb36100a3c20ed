// SPDX-License-Identifier: Apache-2.0
// The stopwatch of the cuda workloads: CUDA events around a call, with the L2 cache swept first.
#pragma once

#include <functional>

#include <libscan/buffer.cuh>

namespace libscan::bench {

/// Times a call on the default stream, in microseconds, by events around it; first writes a buffer
/// larger than L2. Throws libscan::device_error.
class event_timer {
 public:
  event_timer() : sweep_(flush_bytes) {
    LIBSCAN_CHECK(cudaEventCreate(&start_));
    LIBSCAN_CHECK(cudaEventCreate(&stop_));
  }
  ~event_timer() {
    (void)cudaEventDestroy(start_);
    (void)cudaEventDestroy(stop_);
  }
  event_timer(event_timer const&) = delete;
  event_timer& operator=(event_timer const&) = delete;

  double operator()(std::function<void()> const& run) const {
    simt::fill_async(sweep_.data(), 1, flush_bytes);
    LIBSCAN_CHECK(cudaEventRecord(start_));
    run();
    LIBSCAN_CHECK(cudaEventRecord(stop_));
    LIBSCAN_CHECK(cudaEventSynchronize(stop_));
    float ms = 0;
    LIBSCAN_CHECK(cudaEventElapsedTime(&ms, start_, stop_));
    return ms * 1e3;
  }

 private:
  static constexpr index_t flush_bytes = index_t{256} << 20;
  device::buffer<unsigned char> sweep_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace libscan::bench
