// SPDX-License-Identifier: Apache-2.0
// The caller's own device memory: a pool of cudaMallocAsync, RMM, PyTorch's allocator.
#pragma once

#include <cstddef>

namespace libscan::inline v1 {

/// Two functions that give and take device memory on a stream, a cudaStream_t as an opaque pointer.
/// `context` is handed to both. Memory is aligned to 256 bytes, or `allocate` throws. What
/// `deallocate` gets may still be used by work that is already in the stream, and by none after it.
struct memory_functions {
  void* (*allocate)(std::size_t bytes, void* stream, void* context) = nullptr;
  void (*deallocate)(void* memory, std::size_t bytes, void* stream, void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace libscan::inline v1
