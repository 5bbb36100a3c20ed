// SPDX-License-Identifier: Apache-2.0
// Every CUDA call and launch is checked; a failure becomes a `device_error` that says what failed
// and where.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include <libscan/core/error.hpp>

namespace libscan::inline v1_cuda::simt {

/// Throws `device_error` unless `code` is cudaSuccess. Use LIBSCAN_CHECK.
inline void check(cudaError_t code, char const* what, char const* file, int line) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // a reported error must not surface again in another check
  throw device_error(static_cast<int>(code),
                     std::string(what) + " failed at " + file + ":" + std::to_string(line) + ": " +
                         cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")");
}

}  // namespace libscan::inline v1_cuda::simt

/// Throws `libscan::device_error` with the expression and its place unless the call succeeds.
#define LIBSCAN_CHECK(call) ::libscan::simt::check((call), #call, __FILE__, __LINE__)
