// SPDX-License-Identifier: Apache-2.0
// Reductions of one predicate per thread by counting barriers (Harris & Garland, 3.2.1, 3.2.2.3),
// and of small integers by one such barrier per bit.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

/// The number of threads of the block whose predicate is true; the same in all. All threads call. A
/// barrier.
__device__ __forceinline__ int count(bool predicate) { return simt::sync_block_count(predicate); }

/// Whether the predicate is true in all threads of the block. All threads call. A barrier.
__device__ __forceinline__ bool all(bool predicate) { return simt::sync_block_and(predicate); }

/// Whether the predicate is true in any thread of the block. All threads call. A barrier.
__device__ __forceinline__ bool any(bool predicate) { return simt::sync_block_or(predicate); }

/// The sum of the low `Bits` bits of `x` over all threads; higher bits must be 0.
/// Synchronization: all threads call. One barrier per bit, no shared memory.
template <int Bits>
__device__ __forceinline__ unsigned sum_by_counts(unsigned x) {
  static_assert(Bits >= 1 && Bits <= 32);
  unsigned sum = 0;
#pragma unroll
  for (int bit = 0; bit < Bits; ++bit) {
    sum += static_cast<unsigned>(simt::sync_block_count((x >> bit & 1u) != 0)) << bit;
  }
  return sum;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
