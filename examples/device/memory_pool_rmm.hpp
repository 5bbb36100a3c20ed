// SPDX-License-Identifier: Apache-2.0
// Example: temporary memory from a resource of RMM 26 (RAPIDS), for device calls and for those of
// plain C++. C++ with CUDA's headers.
#pragma once

#include <cstddef>

#include <cuda/stream_ref>
#include <rmm/resource_ref.hpp>

#include <libscan/core/memory_functions.hpp>

namespace examples {

/// Functions over `resource`, which must outlive all calls that use them. A call throws what the
/// resource throws.
inline libscan::memory_functions memory_of(rmm::device_async_resource_ref& resource) {
  return {[](std::size_t bytes, void* stream, void* context) -> void* {
            auto& from = *static_cast<rmm::device_async_resource_ref*>(context);
            return from.allocate(cuda::stream_ref(static_cast<cudaStream_t>(stream)), bytes, 256);
          },
          [](void* memory, std::size_t bytes, void* stream, void* context) {
            auto& to = *static_cast<rmm::device_async_resource_ref*>(context);
            to.deallocate(cuda::stream_ref(static_cast<cudaStream_t>(stream)), memory, bytes, 256);
          },
          &resource};
}

}  // namespace examples
