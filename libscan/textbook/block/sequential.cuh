// SPDX-License-Identifier: Apache-2.0
// The baseline of all other scans: one thread of the block does everything (Harris 2007,
// "Sequential Scan"; Verona, "Sequential Implementation").
#pragma once

#include <libscan/textbook/block/tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// n items, one per thread.
/// Cost: n - 1 steps of one thread; n - 1 additions, the fewest possible (the sources say n; their
/// loops run n - 1 times); 3 barriers.
struct sequential {
  static constexpr int items_per_thread = 1;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, MaxThreads> item;
    T total;
  };

  /// prefix = x[0] op ... op x[thread]; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> inclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    shared.item.at(this_thread()) = x;
    simt::sync_block();
    if (this_thread() == 0) {
      T sum = shared.item.at(0);
      for (int j = 1; j < block_threads(); ++j) {
        sum = op(sum, shared.item.at(j));
        shared.item.at(j) = sum;
      }
      shared.total = sum;
    }
    return finish(shared);
  }

  /// prefix = x[0] op ... op x[thread - 1], the identity in thread 0; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> exclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    shared.item.at(this_thread()) = x;
    simt::sync_block();
    if (this_thread() == 0) {
      T sum = shared.item.at(0);
      shared.item.at(0) = op.identity();
      for (int j = 1; j < block_threads(); ++j) {
        T const item = shared.item.at(j);
        shared.item.at(j) = sum;
        sum = op(sum, item);
      }
      shared.total = sum;
    }
    return finish(shared);
  }

 private:
  template <class T, int MaxThreads>
  static __device__ scan_result<T> finish(storage<T, MaxThreads>& shared) {
    simt::sync_block();
    scan_result<T> const result{shared.item.at(this_thread()), shared.total};
    simt::sync_block();
    return result;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
