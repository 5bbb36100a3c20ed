// SPDX-License-Identifier: Apache-2.0
// Brent-Kung: reduce as Blelloch does, then distribute the sums to the items between them (Brent &
// Kung 1982; lecture, "Brent-Kung Parallel Scan").
#pragma once

#include <libscan/textbook/block/shift.cuh>
#include <libscan/textbook/block/tree_sweeps.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// Two items per thread, padded with the identity to n = 2^m.
/// Cost: log2(n) + (log2(n) - 1) steps (the lecture counts one more); 2 (n - 1) - log2(n)
/// additions, exclusive (by shifted loading) one more for the total; barriers: steps + 2, exclusive
/// one more.
struct brent_kung {
  static constexpr int items_per_thread = 2;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, tree_size(2 * MaxThreads)> item;
    T total;
  };

  /// prefix[k] = the items up to and with number i = k * threads + thread; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ pair_scan_result<T> inclusive(storage<T, MaxThreads>& shared, T const (&x)[2],
                                                  Op op) {
    int const a = this_thread();
    int const b = a + block_threads();
    shared.item.at(a) = x[0];
    shared.item.at(b) = x[1];
    scan(shared.item, op);
    pair_scan_result<T> const result{{shared.item.at(a), shared.item.at(b)},
                                     shared.item.at(2 * block_threads() - 1)};
    simt::sync_block();
    return result;
  }

  /// prefix[k] = the items before number i = k * threads + thread, the identity for i = 0; total =
  /// all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ pair_scan_result<T> exclusive(storage<T, MaxThreads>& shared, T const (&x)[2],
                                                  Op op) {
    int const a = this_thread();
    int const b = a + block_threads();
    textbook::store_shifted(shared.item, a, 2 * block_threads(), x[0], op);
    textbook::store_shifted(shared.item, b, 2 * block_threads(), x[1], op);
    scan(shared.item, op);
    T const prefix[2] = {shared.item.at(a), shared.item.at(b)};
    if (this_thread() == block_threads() - 1) shared.total = op(prefix[1], x[1]);
    simt::sync_block();
    pair_scan_result<T> const result{{prefix[0], prefix[1]}, shared.total};
    simt::sync_block();
    return result;
  }

 private:
  template <class T, int Items, class Op>
  static __device__ void scan(tile<T, Items>& item, Op op) {
    int const items = 2 * block_threads();
    int const n = tree_size(items);
    // 1 pad to a power of two
    for (int i = items + this_thread(); i < n; i += block_threads()) item.at(i) = op.identity();
    // 2 reduce: places 2^j (2 k + 1) - 1 hold sums of 2^j items, the last place holds the sum of
    // all
    textbook::up_sweep(item, n, op);
    // 3 distribute: a complete sum at `index` completes the one `stride` after it
    for (int stride = n / 4; stride > 0; stride /= 2) {
      simt::sync_block();
      for (int k = this_thread(); k < n / (2 * stride) - 1; k += block_threads()) {
        int const index = 2 * stride * (k + 1) - 1;
        item.at(index + stride) = op(item.at(index), item.at(index + stride));
      }
    }
    simt::sync_block();
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
