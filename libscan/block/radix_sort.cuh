// SPDX-License-Identifier: Apache-2.0
// The textbook radix sort of a block: one stable split for each bit, from the lowest to the highest
// (Satish, Harris & Garland 2009; Harris & Garland, 3.3: "intra-block radix sort").
#pragma once

#include <libscan/block/split.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

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
