// SPDX-License-Identifier: Apache-2.0
// Every CUDA call and launch is checked; a failure becomes a `device_error` that says what failed
// and where. The current device of a thread, changed for a scope. CUDA only.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include <libscan/core/error.hpp>

namespace libscan::inline v1_cuda::simt {

/// Throws `device_error` unless `code` is cudaSuccess. Use LIBSCAN_CHECK.
inline void check_call(cudaError_t code, char const* what, char const* file, int line) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // a reported error must not surface again in another check
  throw device_error(static_cast<int>(code),
                     std::string(what) + " failed at " + file + ":" + std::to_string(line) + ": " +
                         cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")");
}

}  // namespace libscan::inline v1_cuda::simt

/// Throws `libscan::device_error` with the expression and its place unless the call succeeds.
#define LIBSCAN_CHECK(call) ::libscan::simt::check_call((call), #call, __FILE__, __LINE__)

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
