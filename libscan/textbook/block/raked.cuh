// SPDX-License-Identifier: Apache-2.0
// Several items per thread: each thread sums consecutive items by itself, and a textbook scan of
// the block scans only these sums (Sengupta, Harris & Garland 2008; Merrill & Grimshaw 2009, who
// call it raking). It makes tiles larger, and the block's scan a smaller part of the work.
#pragma once

#include <libscan/block/reduce.cuh>
#include <libscan/textbook/block/catalog.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// `Vector` items for each item of BlockScan. The items pass through shared memory, padded for 32
/// banks: threads load and store neighboring items, and sum consecutive ones.
/// Cost for n items: 2 n additions more than BlockScan has for n / Vector; 3 barriers more.
template <class BlockScan, int Vector>
struct raked {
  static_assert(Vector >= 1);
  static constexpr int vectors = BlockScan::items_per_thread;
  static constexpr int items_per_thread = vectors * Vector;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, MaxThreads * items_per_thread, padded<32>> item;
    typename BlockScan::template storage<T, MaxThreads> scan;
    tree_reduce_storage<T, MaxThreads> reduce;
  };

  /// Results of a thread, whose items are number k * threads + thread of the block.
  template <class T>
  struct results {
    T prefix[items_per_thread];
    T total;
  };

  /// prefix[k] = the items before number k * threads + thread; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ results<T> exclusive(storage<T, MaxThreads>& shared,
                                         T const (&x)[items_per_thread], Op op) {
    return scan<scan_kind::exclusive>(shared, x, op);
  }

  /// prefix[k] = the items up to and with number k * threads + thread; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ results<T> inclusive(storage<T, MaxThreads>& shared,
                                         T const (&x)[items_per_thread], Op op) {
    return scan<scan_kind::inclusive>(shared, x, op);
  }

  /// All items, to every thread: the sums of vectors by block::tree_reduce.
  template <class T, int MaxThreads, class Op>
  static __device__ T total(storage<T, MaxThreads>& shared, T const (&x)[items_per_thread], Op op) {
    T sum[vectors];
    sum_vectors(shared, x, op, sum);
    T all = op.identity();
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      all = op(all, block::tree_reduce(shared.reduce, sum[v], op, block_threads()));
    }
    return all;
  }

 private:
  /// The first item of a thread's vector v.
  static __device__ int first_of(int v) { return (v * block_threads() + this_thread()) * Vector; }

  /// The sums of the thread's vectors. Leaves the items in shared memory.
  template <class T, int MaxThreads, class Op>
  static __device__ void sum_vectors(storage<T, MaxThreads>& shared, T const (&x)[items_per_thread],
                                     Op op, T (&sum)[vectors]) {
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      shared.item.at(k * block_threads() + this_thread()) = x[k];
    }
    simt::sync_block();
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      sum[v] = shared.item.at(first_of(v));
#pragma unroll
      for (int k = 1; k < Vector; ++k) sum[v] = op(sum[v], shared.item.at(first_of(v) + k));
    }
  }

  template <scan_kind Kind, class T, int MaxThreads, class Op>
  static __device__ results<T> scan(storage<T, MaxThreads>& shared, T const (&x)[items_per_thread],
                                    Op op) {
    // 1 sum the vectors
    T before[vectors];
    sum_vectors(shared, x, op, before);
    // 2 scan their sums
    results<T> result;
    result.total = textbook::scan_tile<scan_kind::exclusive, BlockScan>(shared.scan, before, op);
    // 3 scan each vector from its prefix on
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
#pragma unroll
      for (int k = 0; k < Vector; ++k) {
        T& item = shared.item.at(first_of(v) + k);
        T const next = op(before[v], item);
        item = Kind == scan_kind::inclusive ? next : before[v];
        before[v] = next;
      }
    }
    simt::sync_block();
    // 4 read the results
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      result.prefix[k] = shared.item.at(k * block_threads() + this_thread());
    }
    simt::sync_block();
    return result;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
