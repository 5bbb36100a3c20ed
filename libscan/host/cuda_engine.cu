// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine.
#include <libscan/host/on_engine.hpp>

#include <string>

#include <libscan/scan.cuh>
#include <libscan/simt/cuda/check.cuh>

namespace libscan::inline v1::detail {

int cuda_devices() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  (void)cudaGetLastError();
  return 0;
}

void require_cuda_device(int device) {
  auto const require = [](cudaError_t code) {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();
    throw engine_unavailable(std::string("no usable CUDA device: ") + cudaGetErrorString(code) +
                             " (" + cudaGetErrorName(code) + ")");
  };
  int devices = 0;
  require(cudaGetDeviceCount(&devices));
  if (device < 0 || device >= devices) {
    throw engine_unavailable("no CUDA device " + std::to_string(device) + ": this machine has " +
                             std::to_string(devices));
  }
  simt::selected_device const here(device);
  using T = unsigned;
  using tuning = look_back_tuning<T>;
  using work = device::look_back_scan<scan_kind::exclusive, T const*, T*, plus<T>, T, tuning>;
  using kernel = device::look_back_kernel<work, tuning>;
  auto const code = simt::code_for_device<kernel, work, item_count, device::tile_chain<T>>();
  if (code == cudaErrorInvalidDeviceFunction || code == cudaErrorNoKernelImageForDevice) {
    throw engine_unavailable("CUDA device " + std::to_string(device) + " (" +
                             cuda_device_name(device) +
                             ") is of an architecture this libscan was not built for; see "
                             "CMAKE_CUDA_ARCHITECTURES");
  }
  require(code);  // an error of an earlier call, after which the device takes no other
}

std::string cuda_device_name(int device) {
  cudaDeviceProp properties{};
  LIBSCAN_CHECK(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

}  // namespace libscan::inline v1::detail
