// SPDX-License-Identifier: Apache-2.0
// The balanced binary tree of the work-efficient scans, over n = 2^m items in shared memory: the
// sum of a subtree is stored at its last item (Blelloch 1990; Harris 2007, Algorithms 3 and 4;
// Verona, "Work-Efficient Parallel Scan"; lecture, "Reduction Step").
#pragma once

#include <libscan/textbook/block/tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

// A node of height `stride` joins the `stride` items up to `left` and the `stride` items up to
// `right` = left + stride. A level has n / (2 stride) nodes. Thread k takes number k, then k +
// threads and so on if the items were padded to a power of two. (Verona's rules for these indices
// are wrong: up-sweep (III) takes every 2 stride-th i for the number of a node and leaves the
// array; down-sweep (V) computes a left index of -1.)

/// From the leaves to the root: every node's sum. log2(n) steps, n - 1 additions. Each step begins
/// with a barrier; there is none at the end.
template <class T, int Items, class Layout, class Op>
__device__ void up_sweep(tile<T, Items, Layout>& item, int n, Op op) {
  for (int stride = 1; stride < n; stride *= 2) {
    simt::sync_block();
    for (int k = this_thread(); k < n / (2 * stride); k += block_threads()) {
      int const left = stride * (2 * k + 1) - 1;
      int const right = left + stride;
      item.at(right) = op(item.at(left), item.at(right));
    }
  }
}

/// From the root to the leaves: a node's prefix goes to its left child, and combined with the left
/// child's sum to the right child. log2(n) steps, n - 1 additions, n - 1 swaps. Each step begins
/// with a barrier; there is none at the end. The root's place holds the prefix of the whole tree.
template <class T, int Items, class Layout, class Op>
__device__ void down_sweep(tile<T, Items, Layout>& item, int n, Op op) {
  // Algorithm 4 prints log2 n for the first level, whose right child would be past the array.
  for (int stride = n / 2; stride > 0; stride /= 2) {
    simt::sync_block();
    for (int k = this_thread(); k < n / (2 * stride); k += block_threads()) {
      int const left = stride * (2 * k + 1) - 1;
      int const right = left + stride;
      T const sum = item.at(left);
      T const before = item.at(right);
      item.at(left) = before;
      // Harris and Verona add sum + before, the later operand first: right for sums, wrong for
      // operators that do not commute.
      item.at(right) = op(before, sum);
    }
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
