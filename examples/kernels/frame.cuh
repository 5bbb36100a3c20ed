// SPDX-License-Identifier: Apache-2.0
// What the example kernels share: the size of their blocks, and the item a thread is there for.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace examples {

using namespace libscan;

/// Threads of a block, in all examples.
inline constexpr int block_threads = 256;

/// For atomic additions that order no other accesses.
inline constexpr auto relaxed = simt::memory_order_relaxed;

/// Number of the calling thread in its grid.
__device__ __forceinline__ index_t this_item() {
  return index_t{blockIdx.x} * block_threads + threadIdx.x;
}

}  // namespace examples
