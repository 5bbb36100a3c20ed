// SPDX-License-Identifier: Apache-2.0
// The current CUDA device of a thread, changed for a scope. CUDA only.
#pragma once

#include <libscan/simt/cuda/check.cuh>

namespace libscan::inline v1_cuda::simt {

/// Makes `device` the calling thread's current device; the destructor restores the former one.
class selected_device {
 public:
  explicit selected_device(int device) {
    LIBSCAN_CHECK(cudaGetDevice(&former_));
    LIBSCAN_CHECK(cudaSetDevice(device));
  }
  ~selected_device() { (void)cudaSetDevice(former_); }
  selected_device(selected_device const&) = delete;
  selected_device& operator=(selected_device const&) = delete;

 private:
  int former_ = 0;
};

}  // namespace libscan::inline v1_cuda::simt
