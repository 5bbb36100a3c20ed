// SPDX-License-Identifier: Apache-2.0
// What the CUDA side provides for the host API. Plain C++: cuda_engine*.cu implement it in a build
// with nvcc, cuda_engine_absent.cpp (everything throws engine_unavailable) in a build without.
// Internal.
#pragma once

#include <string>

#include <libscan/host/scan_call.hpp>

namespace libscan::inline v1::detail {

/// The number of CUDA devices; 0 if they cannot be counted. Leaves no sticky device error.
int cuda_devices();

/// Returns if CUDA device `device` can run libscan's kernels. Leaves no sticky device error.
/// Throws: `engine_unavailable` with the reason (no driver, no such device, no kernels for its
/// architecture); `device_error` if the device cannot be started.
void require_cuda_device(int device);

/// The device's name from the driver, such as "NVIDIA H200". Throws as `require_cuda_device`.
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
