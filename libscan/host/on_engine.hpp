// SPDX-License-Identifier: Apache-2.0
// Which engines this build of libscan has, and how a compiled call goes to its engine. Internal:
// included by compiled code only, never by headers that users include.
#pragma once

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>

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

/// Returns cuda(device) for an engine of kind cuda, cpu(threads) for the others. `cuda` is a
/// template, [](auto device) { ... }: a build without CUDA compiles no call of it.
template <class Cuda, class Cpu>
auto on_engine(engine const& on, Cuda const& cuda, Cpu const& cpu) {
  if constexpr (has_cuda) {
    if (on.is_cuda()) return cuda(on.device());
  }
  return cpu(on.threads());
}

}  // namespace libscan::inline v1::detail
