// SPDX-License-Identifier: Apache-2.0
// The work-efficient scan by up-sweep and down-sweep (Blelloch 1990; Harris 2007, Listing 2, with
// blocks A to E as in "Avoiding Bank Conflicts"; Verona, "Work-Efficient Parallel Scan").
#pragma once

#include <libscan/textbook/block/shift.cuh>
#include <libscan/textbook/block/tree_sweeps.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// Two items per thread, padded with the identity to n = 2^m ("Arrays of Arbitrary Size").
/// Cost: 2 log2(n) steps; 2 (n - 1) additions and n - 1 swaps, inclusive too; barriers: steps + 2.
/// `Layout` places the items. The sweeps have bank conflicts if it is `dense`, few if it is
/// `padded<32>` (beyond 1024 items), and none if it is `fully_padded<32>`. `inclusive` reads its
/// results one place further, which is a 2-way conflict in padded layouts.
template <class Layout = dense>
struct blelloch {
  static constexpr int items_per_thread = 2;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, tree_size(2 * MaxThreads), Layout> item;
    T total;
  };

  /// prefix[k] = the items before number i = k * threads + thread, the identity for i = 0; total =
  /// all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ pair_scan_result<T> exclusive(storage<T, MaxThreads>& shared, T const (&x)[2],
                                                  Op op) {
    sweep(shared, x, op);
    int const a = this_thread();
    int const b = a + block_threads();
    pair_scan_result<T> const result{{shared.item.at(a), shared.item.at(b)}, shared.total};
    simt::sync_block();
    return result;
  }

  /// prefix[k] = the items up to and with number i = k * threads + thread; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ pair_scan_result<T> inclusive(storage<T, MaxThreads>& shared, T const (&x)[2],
                                                  Op op) {
    sweep(shared, x, op);
    int const a = this_thread();
    int const b = a + block_threads();
    int const n = tree_size(2 * block_threads());
    T const total = shared.total;
    pair_scan_result<T> const result{{textbook::read_inclusive(shared.item, a, n, total),
                                      textbook::read_inclusive(shared.item, b, n, total)},
                                     total};
    simt::sync_block();
    return result;
  }

 private:
  /// Leaves the exclusive prefixes in shared.item, and the total.
  template <class T, int MaxThreads, class Op>
  static __device__ void sweep(storage<T, MaxThreads>& shared, T const (&x)[2], Op op) {
    int const items = 2 * block_threads();
    int const n = tree_size(items);
    // 1 load (A): two items from separate halves, so that neighbors meet different banks. Each has
    // its own place (Harris's second item is at the first one's padding).
    shared.item.at(this_thread()) = x[0];
    shared.item.at(this_thread() + block_threads()) = x[1];
    for (int i = items + this_thread(); i < n; i += block_threads()) {
      shared.item.at(i) = op.identity();
    }
    // 2 reduce (B)
    textbook::up_sweep(shared.item, n, op);
    // 3 take the total from the root, which has no items before it (C); thread 0 has just summed it
    if (this_thread() == 0) {
      shared.total = shared.item.at(n - 1);
      shared.item.at(n - 1) = op.identity();
    }
    // 4 distribute (D)
    textbook::down_sweep(shared.item, n, op);
    // 5 read results once, at the end (E): Listing 2 stores them in each step of the loop
    simt::sync_block();
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
