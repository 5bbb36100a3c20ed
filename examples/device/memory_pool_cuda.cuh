// SPDX-License-Identifier: Apache-2.0
// Example: temporary memory from a pool of cudaMallocAsync, for device calls and for those of plain
// C++. CUDA only.
#pragma once

#include <cuda_runtime.h>

#include <new>

#include <libscan/core/memory_functions.hpp>

namespace examples {

/// Functions over `pool`, which must outlive all calls that use them.
inline libscan::memory_functions memory_of(cudaMemPool_t pool) {
  return {[](std::size_t bytes, void* stream, void* context) -> void* {
            void* memory = nullptr;
            auto const pool = static_cast<cudaMemPool_t>(context);
            cudaError_t const code =
                cudaMallocFromPoolAsync(&memory, bytes, pool, static_cast<cudaStream_t>(stream));
            if (code != cudaSuccess) throw std::bad_alloc();
            return memory;
          },
          [](void* memory, std::size_t, void* stream, void*) {
            (void)cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
          },
          pool};
}

}  // namespace examples
