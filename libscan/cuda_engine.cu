// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the plain facade: host memory in, kernels of libscan/device, host memory out.
#include <libscan/cuda_engine.hpp>

#include <span>
#include <string>

#include <libscan/device/buffer.cuh>
#include <libscan/device/reduce.cuh>
#include <libscan/device/scan.cuh>
#include <libscan/dispatch.hpp>
#include <libscan/simt/cuda/selected_device.cuh>

namespace libscan::inline v1::detail {

int cuda_devices() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  (void)cudaGetLastError();
  return 0;
}

void require_cuda_device(int device) {
  int devices = 0;
  cudaError_t const code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess) {
    (void)cudaGetLastError();
    throw engine_unavailable(std::string("no usable CUDA device: ") + cudaGetErrorString(code) +
                             " (" + cudaGetErrorName(code) + ")");
  }
  if (device < 0 || device >= devices) {
    throw engine_unavailable("no CUDA device " + std::to_string(device) + ": this machine has " +
                             std::to_string(devices));
  }
  simt::selected_device const here(device);
  using T = unsigned;
  using kernel = device::look_back_scan_kernel<scan_kind::exclusive, plus<T>, look_back_tuning<T>>;
  if (!simt::has_code_for_device<kernel, T const*, T*, item_count, plus<T>, T,
                                 device::tile_state<T>, T*>()) {
    throw engine_unavailable("CUDA device " + std::to_string(device) + " (" +
                             cuda_device_name(device) +
                             ") is of an architecture this libscan was not built for; see "
                             "CMAKE_CUDA_ARCHITECTURES");
  }
}

std::string cuda_device_name(int device) {
  cudaDeviceProp properties{};
  LIBSCAN_CHECK(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

void cuda_scan(int device, scan_call const& call) {
  simt::selected_device const here(device);
  visit_operator(call, [&](auto op) {
    using T = typename decltype(op)::value_type;
    T const init = *static_cast<T const*>(call.init);
    if (call.n == 0) {
      *static_cast<T*>(call.total) = init;
      return;
    }
    device::buffer<T> const items(
        std::span<T const>(static_cast<T const*>(call.in), static_cast<std::size_t>(call.n)));
    device::buffer<T> const total(1);
    workspace ws;
    if (call.kind == scan_kind::exclusive) {
      exclusive_scan(ws, items.data(), items.data(), call.n, op, total.data(), init);
    } else {
      inclusive_scan(ws, items.data(), items.data(), call.n, op, total.data(), init);
    }
    items.read_sync(static_cast<T*>(call.out), call.n);
    total.read_sync(static_cast<T*>(call.total), 1);
  });
}

void cuda_reduce(int device, reduce_call const& call) {
  simt::selected_device const here(device);
  visit_operator(call, [&](auto op) {
    using T = typename decltype(op)::value_type;
    device::buffer<T> const items(
        std::span<T const>(static_cast<T const*>(call.in), static_cast<std::size_t>(call.n)));
    device::buffer<T> const result(1);
    workspace ws;
    reduce(ws, items.data(), result.data(), call.n, op, *static_cast<T const*>(call.init));
    result.read_sync(static_cast<T*>(call.result), 1);
  });
}

}  // namespace libscan::inline v1::detail
