// SPDX-License-Identifier: Apache-2.0
// Split: all threads with a false predicate first, then those with a true one, both in order. One
// binary scan gives every thread its place (Blelloch 1990, 1.3; Harris 2007, "radix sort"). A radix
// sort needs this order; Harris & Garland, 3.1, define a split with the true ones first.
#pragma once

#include <libscan/block/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

/// Where a thread's item goes, and how many items go before the first true one.
struct split_result {
  int position;
  int falses;
};

/// The stable place of the caller's item.
/// Types: BlockThreads is from 1 to 1024.
/// Synchronization: all threads call. Ends with a barrier, so `storage` is reusable at once.
template <int BlockThreads>
__device__ split_result split(binary_scan_storage<BlockThreads>& storage, bool predicate) {
  binary_scan_result const trues = block::binary_scan(storage, predicate);
  int const falses = BlockThreads - trues.count;
  return {predicate ? falses + trues.rank : simt::thread_rank() - trues.rank, falses};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
