// SPDX-License-Identifier: Apache-2.0
// Inclusive from exclusive and back: the two differ by a shift of one item (Harris 2007, "Inclusive
// and Exclusive Scan"; Verona, "Inclusive <-> Exclusive"). The shift can come after the scan, by
// reading a neighbor's prefix, or before it, by loading a neighbor's item (lecture, "A simple
// exclusive scan kernel").
#pragma once

#include <libscan/textbook/block/tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// After a scan: exclusive prefix i from a tile of inclusive ones. Shifts right by one; the
/// identity enters at the front.
template <class T, int Items, class Layout, class Op>
__device__ T read_exclusive(tile<T, Items, Layout>& inclusive, int i, Op op) {
  return i == 0 ? op.identity() : inclusive.at(i - 1);
}

/// After a scan: inclusive prefix i from a tile of n exclusive ones. Shifts left by one; the total
/// (the last prefix combined with the last item) enters at the end.
template <class T, int Items, class Layout>
__device__ T read_inclusive(tile<T, Items, Layout>& exclusive, int i, int n, T total) {
  return i + 1 < n ? exclusive.at(i + 1) : total;
}

/// Before a scan of n items: item i goes to place i + 1, the identity to place 0, and the last item
/// is dropped. The inclusive scan of these is the exclusive scan of the items.
template <class T, int Items, class Layout, class Op>
__device__ void store_shifted(tile<T, Items, Layout>& shifted, int i, int n, T x, Op op) {
  if (i + 1 < n) shifted.at(i + 1) = x;
  if (i == 0) shifted.at(0) = op.identity();
}

/// Before a scan across blocks: in[i - 1] in place of item i of the whole input. Exactly one
/// identity enters, at the front of the first block; every other block begins with the last item of
/// the block before it. i is the global index, so a thread of two items shifts each by one.
template <class In, class Op>
__device__ typename Op::value_type load_shifted(In in, index_t i, Op op) {
  return i == 0 ? op.identity() : static_cast<typename Op::value_type>(in[i - 1]);
}

/// Shared memory of the two functions below. Reusable as soon as a call has returned.
template <class T, int MaxThreads>
struct shift_storage {
  tile<T, MaxThreads> prefix;
};

/// The exclusive prefix of a thread, from its inclusive one; one item per thread.
/// Synchronization: all threads of a one-dimensional block of up to MaxThreads call. 2 barriers,
/// no additions.
template <class T, int MaxThreads, class Op>
__device__ T exclusive_from_inclusive(shift_storage<T, MaxThreads>& shared, T prefix, Op op) {
  shared.prefix.at(this_thread()) = prefix;
  simt::sync_block();
  T const shifted = textbook::read_exclusive(shared.prefix, this_thread(), op);
  simt::sync_block();
  return shifted;
}

/// The inclusive prefix of a thread, from its exclusive one and the block's total. Otherwise as
/// `exclusive_from_inclusive`.
template <class T, int MaxThreads>
__device__ T inclusive_from_exclusive(shift_storage<T, MaxThreads>& shared, T prefix, T total) {
  shared.prefix.at(this_thread()) = prefix;
  simt::sync_block();
  T const shifted = textbook::read_inclusive(shared.prefix, this_thread(), block_threads(), total);
  simt::sync_block();
  return shifted;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
