// SPDX-License-Identifier: Apache-2.0
// One thread per output, each adding up all it needs: "parallel programming is easy as long as you
// do not care about performance" (lecture, "A Naive Inclusive Parallel Scan").
#pragma once

#include <libscan/textbook/block/tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// n items, one per thread.
/// Cost: as many steps as the last thread has items; n (n - 1) / 2 additions inclusive, (n - 1) (n
/// - 2) / 2 exclusive and one for the total; 3 barriers.
struct quadratic {
  static constexpr int items_per_thread = 1;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, MaxThreads> item;
    T total;
  };

  /// prefix = x[0] op ... op x[thread]; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> inclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    // 1 load
    shared.item.at(this_thread()) = x;
    simt::sync_block();
    // 2 add up the items from the first one to the thread's own
    T const prefix = sum_of_first(shared.item, this_thread() + 1, op);
    // 3 the last thread's prefix is the total
    if (this_thread() == block_threads() - 1) shared.total = prefix;
    return finish(shared, prefix);
  }

  /// prefix = x[0] op ... op x[thread - 1], the identity in thread 0; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> exclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    // 1 load
    shared.item.at(this_thread()) = x;
    simt::sync_block();
    // 2 add up the items before the thread's own
    T const prefix =
        this_thread() == 0 ? op.identity() : sum_of_first(shared.item, this_thread(), op);
    // 3 the last thread's prefix lacks only its own item
    if (this_thread() == block_threads() - 1) shared.total = op(prefix, x);
    return finish(shared, prefix);
  }

 private:
  /// x[0] op ... op x[count - 1], for count > 0.
  template <class T, int MaxThreads, class Op>
  static __device__ T sum_of_first(tile<T, MaxThreads>& item, int count, Op op) {
    T sum = item.at(0);
    for (int j = 1; j < count; ++j) sum = op(sum, item.at(j));
    return sum;
  }

  template <class T, int MaxThreads>
  static __device__ scan_result<T> finish(storage<T, MaxThreads>& shared, T prefix) {
    simt::sync_block();
    scan_result<T> const result{prefix, shared.total};
    simt::sync_block();
    return result;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
