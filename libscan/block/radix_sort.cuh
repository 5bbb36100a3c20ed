// SPDX-License-Identifier: Apache-2.0
// The textbook radix sort of a block: one stable split for each bit, from the lowest to the highest
// (Satish, Harris & Garland 2009; Harris & Garland, 3.3). A split puts threads with a false
// predicate first, then those with a true one, both in order; one binary scan gives every thread
// its place (Blelloch 1990, 1.3; Harris 2007). Harris & Garland, 3.1, define one with the true ones
// first.
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

/// Shared memory of a block sort. Reusable as soon as a call has returned.
template <class Key, int BlockThreads>
struct radix_sort_storage {
  binary_scan_storage<BlockThreads> scan;
  Key key[BlockThreads];
};

/// Gives thread k the k-th smallest key by bits [first_bit, end_bit) of its unsigned value. Stable:
/// keys equal in those bits keep their order.
/// Types: BlockThreads is from 1 to 1024.
/// Synchronization: all threads call. Ends with a barrier.
template <class Key, int BlockThreads>
__device__ Key radix_sort(radix_sort_storage<Key, BlockThreads>& storage, Key key,
                          int first_bit = 0, int end_bit = 8 * static_cast<int>(sizeof(Key))) {
  for (int bit = first_bit; bit < end_bit; ++bit) {
    split_result const place = block::split(storage.scan, (key >> bit & Key{1}) != 0);
    storage.key[place.position] = key;
    simt::sync_block();
    key = storage.key[simt::thread_rank()];
    simt::sync_block();
  }
  return key;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
