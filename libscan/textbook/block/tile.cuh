// SPDX-License-Identifier: Apache-2.0
// What the textbook scans share: the items of a block in shared memory, the place of each, and a
// thread's result. Padding against bank conflicts is a choice of places (Harris 2007, "Avoiding
// Bank Conflicts").
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>

// Every textbook scan is a type of this shape, so that code can be written for any of them:
//
//   struct algorithm {
//     static constexpr int items_per_thread;                       1 or 2; raked: more
//     template <class T, int MaxThreads> struct storage;          shared memory
//     inclusive(storage&, x, op), exclusive(storage&, x, op)       to {prefix, total}
//   };
//
// All threads of a one-dimensional block of 1 to MaxThreads threads call. T is trivially copyable.
// op is associative and need not commute: the earlier operand always comes first. If a block has
// fewer items than threads, the other threads pass the operator's identity. Every call ends with a
// barrier, so the storage is reusable at once.

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

using warp::scan_result;

/// The result of a thread with two items, number `thread` and `thread + threads` of the block:
/// neighboring threads then load and store neighboring items.
template <class T>
struct pair_scan_result {
  T prefix[2];
  T total;
};

/// Item i is at place i.
struct dense {
  LIBSCAN_HOST_DEVICE static constexpr int place(int i) { return i; }
};

/// Skips one place after every `Banks` items of 4 bytes: item i is at i + i / Banks, so strides of
/// a power of two spread over the banks.
template <int Banks>
struct padded {
  // Harris's Listing 3 shifts by the number of banks where it means its logarithm.
  static_assert(Banks > 1 && (Banks & (Banks - 1)) == 0, "banks come in powers of two");
  LIBSCAN_HOST_DEVICE static constexpr int place(int i) { return i + i / Banks; }
};

/// Skips one more place after every Banks^2 items: no conflicts in trees of more items than that.
template <int Banks>
struct fully_padded {
  // Listing 3 writes n >> a + n >> b for the sum of two shifts; + binds tighter than >>.
  LIBSCAN_HOST_DEVICE static constexpr int place(int i) {
    return padded<Banks>::place(i) + i / (Banks * Banks);
  }
};

/// `Items` items in shared memory, at the places that `Layout` gives them.
template <class T, int Items, class Layout = dense>
struct tile {
  T word[Layout::place(Items - 1) + 1];

  __device__ T& at(int i) { return word[Layout::place(i)]; }
};

/// The smallest power of two that is not below `items`: the span of a balanced tree over them.
LIBSCAN_HOST_DEVICE constexpr int tree_size(int items) {
  int size = 1;
  while (size < items) size *= 2;
  return size;
}

/// The calling thread's number in its one-dimensional block, and the number of threads.
__device__ __forceinline__ int this_thread() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ int block_threads() { return static_cast<int>(blockDim.x); }

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
