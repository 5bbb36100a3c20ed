// SPDX-License-Identifier: Apache-2.0
// What the CUDA side owes the facade. Plain C++: cuda_engine*.cu implement it in a build with
// nvcc, cuda_engine_absent.cpp (everything throws engine_unavailable) in a build without. Internal.
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

/// Runs `call`, whose pointers are all host memory and already checked (n >= 0; out == in, or
/// apart), on `device`, and returns when *total and the output are complete. n = 0 writes *total =
/// *init. Must turn `call` back into types as libscan/dispatch.hpp does, must write only
/// out[0..n-1] and *total, and must leave the thread's current device as it was. Throws
/// `device_error`, or `engine_unavailable` if the device cannot be used.
void cuda_scan(int device, scan_call const& call);

/// The same for a reduction, which writes only *result.
void cuda_reduce(int device, reduce_call const& call);

/// `cuda_scan` on the current device, of items of type T, for which cuda_engine_*.cu instantiate
/// it.
template <class T>
void cuda_scan_of(scan_call const& call);

/// The same for a reduction.
template <class T>
void cuda_reduce_of(reduce_call const& call);

}  // namespace libscan::inline v1::detail
