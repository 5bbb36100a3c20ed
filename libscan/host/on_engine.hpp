// SPDX-License-Identifier: Apache-2.0
// Which engines this build of libscan has, and how a compiled call goes to its engine. Internal:
// included by compiled code only, never by headers that users include.
#pragma once

#include <cstdint>
#include <string>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

#ifdef LIBSCAN_WITH_CUDA
inline constexpr bool has_cuda = true;
#else
inline constexpr bool has_cuda = false;
#endif

#ifdef LIBSCAN_WITH_EXECUTOR
inline constexpr bool has_executor = true;
#else
inline constexpr bool has_executor = false;
#endif

[[noreturn]] inline void refuse_cuda() {
  throw engine_unavailable(
      "libscan was built without the cuda engine (no nvcc was found, or LIBSCAN_CUDA=OFF); use the "
      "cpu engine, or build with the CUDA toolkit");
}

[[noreturn]] inline void refuse_executor() {
  throw engine_unavailable(
      "libscan was built without the executor (Boost.Context was not found); install it and build "
      "again, or use another engine");
}

/// A GPU, by its number.
struct cuda_device {
  int number;
};

/// The executor, with the seed of its schedules.
struct executor_run {
  std::uint64_t seed;
};

/// Refuses more items than the executor runs in a reasonable time.
inline void check_executor_limit(index_t items) {
  if (items <= executor_limit) return;
  throw invalid_argument("the executor takes up to " + std::to_string(executor_limit) +
                         " items, since it runs kernels thread by thread; the call has " +
                         std::to_string(items) + "; use the cpu or the cuda engine");
}

/// Returns device(machine) for an engine that runs kernels, where `machine` is a `cuda_device` or
/// an `executor_run`, and cpu(threads) for the cpu engine. `items` is the size of the call, which
/// is bounded in the executor. `device` is a template, [](auto machine) { ... }: a build without a
/// machine compiles no call of it.
template <class Device, class Cpu>
auto on_engine(engine const& on, index_t items, Device const& device, Cpu const& cpu) {
  if constexpr (has_cuda) {
    if (on.is_cuda()) return device(cuda_device{on.device()});
  }
  if constexpr (has_executor) {
    if (on.is_executor()) {
      detail::check_executor_limit(items);
      return device(executor_run{on.seed()});
    }
  }
  return cpu(on.threads());
}

// The GPUs of this machine; cuda_engine.cu implements these in a build with nvcc.

/// The number of CUDA devices; 0 if they cannot be counted. Leaves no sticky device error.
int cuda_devices();

/// Returns if CUDA device `device` can run libscan's kernels. Leaves no sticky device error.
/// Throws: `engine_unavailable` with the reason (no driver, no such device, no kernels for its
/// architecture); `device_error` if the device cannot be started.
void require_cuda_device(int device);

/// The device's name from the driver, such as "NVIDIA H200". Throws as `require_cuda_device`.
std::string cuda_device_name(int device);

}  // namespace libscan::inline v1::detail
