// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the host API, in plain C++: cuda_engine.cu and cuda_engine.cuh implement it in a
// build with nvcc; a build without calls none of it (see on_engine.hpp). Internal.
#pragma once

#include <string>

#include <libscan/scan_call.hpp>

namespace libscan::inline v1::detail {

/// How many CUDA devices there are to ask for; 0 if none can be counted. Leaves no sticky device
/// error behind.
int cuda_devices();

/// Returns if CUDA device `device` can run libscan's kernels. Else throws `engine_unavailable` that
/// names the reason: no driver, no such device, no kernels for its architecture; or `device_error`
/// if the device cannot be started. Leaves no sticky device error behind.
void require_cuda_device(int device);

/// The device's name in the driver's words, e.g. "NVIDIA H200". Throws as `require_cuda_device`.
std::string cuda_device_name(int device);

/// Scans and reductions of items of type T on the current device; compiled for every item type.
///
/// All pointers are to host memory, and checked (n >= 0; out == in, or no overlap). Each function
/// returns when *total and the output are complete, and writes only out[0..n-1] and *total, or only
/// *result. n = 0 writes *total = *init. Throws `device_error`.
template <class T>
struct cuda_items {
  static void scan(scan_call const& call);
  static void reduce(reduce_call const& call);
};

/// `cuda_items` of the call's item type on `device`; leaves the thread's current device as it was.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
void cuda_scan(int device, scan_call const& call);
void cuda_reduce(int device, reduce_call const& call);

}  // namespace libscan::inline v1::detail
