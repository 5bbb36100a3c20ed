// SPDX-License-Identifier: Apache-2.0
// The naive parallel scan, in two buffers (Hillis & Steele 1986; Harris 2007, Algorithm 2 and
// Listing 1; Verona, "A Naive Parallel Scan"): log2(n) steps; each of them adds to every item the
// one `distance` places before it.
#pragma once

#include <libscan/textbook/block/shift.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// n items, one per thread.
/// Cost: ceil(log2 n) steps; n log2 n - (n - 1) additions for n a power of two, exclusive one more
/// for the total; barriers: steps + 2, exclusive one more; shared memory: two copies of the items.
struct hillis_steele {
  static constexpr int items_per_thread = 1;

  template <class T, int MaxThreads>
  struct storage {
    tile<T, MaxThreads> buffer[2];
    T total;
  };

  /// prefix = x[0] op ... op x[thread]; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> inclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    shared.buffer[0].at(this_thread()) = x;
    tile<T, MaxThreads>& scanned = scan(shared, op);
    scan_result<T> const result{scanned.at(this_thread()), scanned.at(block_threads() - 1)};
    simt::sync_block();
    return result;
  }

  /// prefix = x[0] op ... op x[thread - 1], the identity in thread 0; total = all of them.
  template <class T, int MaxThreads, class Op>
  static __device__ scan_result<T> exclusive(storage<T, MaxThreads>& shared, T x, Op op) {
    textbook::store_shifted(shared.buffer[0], this_thread(), block_threads(), x, op);
    T const prefix = scan(shared, op).at(this_thread());
    if (this_thread() == block_threads() - 1) shared.total = op(prefix, x);
    simt::sync_block();
    scan_result<T> const result{prefix, shared.total};
    simt::sync_block();
    return result;
  }

 private:
  /// Scans buffer 0, inclusively; returns the buffer that holds the result.
  template <class T, int MaxThreads, class Op>
  static __device__ tile<T, MaxThreads>& scan(storage<T, MaxThreads>& shared, Op op) {
    int const k = this_thread();
    int out = 0;
    // Algorithms 1 and 2 print the condition k >= 2^d, where the distance of step d is 2^(d-1).
    for (int distance = 1; distance < block_threads(); distance *= 2) {
      simt::sync_block();
      auto& from = shared.buffer[out];
      auto& to = shared.buffer[1 - out];
      // Listing 1 adds to the value in `to`, which is two steps old: both operands come from
      // `from`.
      to.at(k) = k >= distance ? op(from.at(k - distance), from.at(k)) : from.at(k);
      out = 1 - out;
    }
    simt::sync_block();
    return shared.buffer[out];
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
