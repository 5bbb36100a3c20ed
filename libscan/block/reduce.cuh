// SPDX-License-Identifier: Apache-2.0
// Reductions of a block: of one predicate per thread by counting barriers, of small integers by one
// such barrier per bit (Harris & Garland, 3.2.1, 3.2.2.3), and of any value by a tree in shared
// memory. Each step of the tree combines neighbors and halves the number of values, so operators
// need not commute.
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

/// Shared memory of a tree reduction: every level of the tree. Reusable as soon as a call has
/// returned.
template <class T, int MaxThreads>
struct tree_reduce_storage {
  // A level of n values leaves ceil(n / 2): at most 2 n + log2 n in all.
  T value[2 * MaxThreads + 10];
};

/// x[0] op ... op x[threads - 1], in every thread.
/// Synchronization: all `threads` of the block call: 1 to MaxThreads, not only powers of two.
/// Cost: ceil(log2 n) steps, n - 1 applications of the operator.
template <class T, int MaxThreads, class Op>
__device__ T tree_reduce(tree_reduce_storage<T, MaxThreads>& storage, T x, Op op,
                         int threads = MaxThreads) {
  int const thread = simt::thread_rank();
  T* level = storage.value;
  level[thread] = x;
  simt::sync_block();
#pragma unroll
  for (int n = threads; n > 1; n = (n + 1) / 2) {
    T* const next = level + n;
    int const left = 2 * thread;
    if (left + 1 < n) {
      next[thread] = op(level[left], level[left + 1]);
    } else if (left < n) {
      next[thread] = level[left];
    }
    level = next;
    simt::sync_block();
  }
  T const result = level[0];
  simt::sync_block();
  return result;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
