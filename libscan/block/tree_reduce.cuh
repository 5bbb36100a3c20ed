// SPDX-License-Identifier: Apache-2.0
// Reduction of one value per thread by a tree in shared memory. Each step combines neighbors and
// halves the number of values, so operators need not commute. The classic counterpart of the
// counting barrier.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

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
