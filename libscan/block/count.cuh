// SPDX-License-Identifier: Apache-2.0
// Reductions of one predicate per thread by the barriers that count (Harris &
// Garland, 3.2.1, 3.2.2.3), and of small integers by one such barrier a bit.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

/// How many threads of the block hold true; the same in all. All threads must call. A barrier.
__device__ __forceinline__ int count(bool predicate) { return simt::sync_block_count(predicate); }

/// Whether all threads of the block hold true. All threads must call. A barrier.
__device__ __forceinline__ bool all(bool predicate) { return simt::sync_block_and(predicate); }

/// Whether any thread of the block holds true. All threads must call. A barrier.
__device__ __forceinline__ bool any(bool predicate) { return simt::sync_block_or(predicate); }

/// The sum over all threads of the low `Bits` bits of `x`; higher bits must be 0. All threads must
/// call. One barrier a bit, no shared memory.
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
