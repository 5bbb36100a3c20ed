// SPDX-License-Identifier: Apache-2.0
// Kogge-Stone, in place with two barriers per step, and with two buffers and one barrier (Kogge &
// Stone 1973; lecture, "A Kogge-Stone Parallel Scan Algorithm" and "Double Buffering").
#pragma once

#include <libscan/textbook/block/shift.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// n items, one per thread. Step `stride` = 1, 2, 4, ... adds pairs of items that are `stride`
/// apart.
/// Cost: ceil(log2 n) steps; n log2 n - (n - 1) additions for n a power of two, exclusive (by
/// shifted loading) one more for the total; barriers: 2 steps + 2, exclusive one more.
struct kogge_stone {
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
    scan(shared.item, op);
    scan_result<T> const result{shared.item.at(this_thread()), shared.item.at(block_threads() - 1)};
    simt::sync_block();
    return result;
  }

  /// prefix = x[0] op ... op x[thread - 1], the identity in thread 0; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> exclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    textbook::store_shifted(shared.item, this_thread(), block_threads(), x, op);
    scan(shared.item, op);
    T const prefix = shared.item.at(this_thread());
    if (this_thread() == block_threads() - 1) shared.total = op(prefix, x);
    simt::sync_block();
    scan_result<T> const result{prefix, shared.total};
    simt::sync_block();
    return result;
  }

 private:
  template <class T, int MaxThreads, class Op>
  static __device__ void scan(tile<T, MaxThreads>& item, Op op) {
    int const j = this_thread();
    for (int stride = 1; stride < block_threads(); stride *= 2) {
      simt::sync_block();  // the items of this step are in place
      T sum = item.at(j);
      if (j >= stride) sum = op(item.at(j - stride), sum);
      // All items have been read. The lecture's incorrect kernel lacks this barrier (and stores its
      // results without a bounds check).
      simt::sync_block();
      item.at(j) = sum;
    }
    simt::sync_block();
  }
};

/// The same with a second copy of the items in place of the second barrier; barriers: steps + 2.
/// The exclusive scan shifts the inclusive result, at no further addition or barrier.
struct kogge_stone_double_buffered {
  static constexpr int items_per_thread = 1;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, MaxThreads> buffer[2];
  };

  /// prefix = x[0] op ... op x[thread]; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> inclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    tile<T, MaxThreads>& scanned = scan(shared, x, op);
    scan_result<T> const result{scanned.at(this_thread()), scanned.at(block_threads() - 1)};
    simt::sync_block();
    return result;
  }

  /// prefix = x[0] op ... op x[thread - 1], the identity in thread 0; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> exclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    tile<T, MaxThreads>& scanned = scan(shared, x, op);
    scan_result<T> const result{textbook::read_exclusive(scanned, this_thread(), op),
                                scanned.at(block_threads() - 1)};
    simt::sync_block();
    return result;
  }

 private:
  /// Returns the buffer that holds the inclusive result.
  template <class T, int MaxThreads, class Op>
  static __device__ tile<T, MaxThreads>& scan(storage<T, MaxThreads>& shared, T x, Op op) {
    int const j = this_thread();
    auto* source = shared.buffer;
    auto* destination = shared.buffer + 1;
    source->at(j) = x;
    for (int stride = 1; stride < block_threads(); stride *= 2) {
      simt::sync_block();
      T sum = source->at(j);
      if (j >= stride) sum = op(source->at(j - stride), sum);
      destination->at(j) = sum;  // by every thread: the lecture omits the copy for j < stride
      auto* const former = source;
      source = destination;
      destination = former;
    }
    simt::sync_block();
    return *source;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
