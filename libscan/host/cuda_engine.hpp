// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, for the host API. Plain C++; cuda_engine.cu implements it in a build
// with nvcc. Internal.
#pragma once

#include <string>

namespace libscan::inline v1::detail {

/// The number of CUDA devices; 0 if they cannot be counted. Leaves no sticky device error.
int cuda_devices();

/// Returns if CUDA device `device` can run libscan's kernels. Leaves no sticky device error.
/// Throws: `engine_unavailable` with the reason (no driver, no such device, no kernels for its
/// architecture); `device_error` if the device cannot be started.
void require_cuda_device(int device);

/// The device's name from the driver, such as "NVIDIA H200". Throws as `require_cuda_device`.
std::string cuda_device_name(int device);

}  // namespace libscan::inline v1::detail
