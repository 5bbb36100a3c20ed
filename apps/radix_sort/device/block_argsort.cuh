// SPDX-License-Identifier: Apache-2.0
// An argsort of as many items as a block has threads, by the textbook radix sort of a block.
#pragma once

#include <cstdint>

#include <libscan/block/radix_sort.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// One block sorts the positions of n words by their bits [first_bit, end_bit). It sorts by 32 bits
/// of the words at a time, each together with its position.
struct block_argsort_kernel {
  static constexpr int block_threads = 1024;
  static constexpr int position_bits = 10;
  using shared_storage = block::radix_sort_storage<std::uint64_t, block_threads>;

  __device__ void operator()(shared_storage& storage, std::uint64_t const* words, int n,
                             int first_bit, int end_bit, index_t* positions) const {
    int position = simt::thread_rank();
    for (int part = first_bit / 32 * 32; part < end_bit; part += 32) {
      // Threads without an item have the largest word, and come after all items.
      std::uint64_t const word = position < n ? words[position] : ~std::uint64_t{0};
      int const first = first_bit > part ? first_bit - part : 0;
      int const end = end_bit < part + 32 ? end_bit - part : 32;
      std::uint64_t const sorted = block::radix_sort(
          storage,
          (word >> part & 0xffffffffu) << position_bits | static_cast<std::uint64_t>(position),
          position_bits + first, position_bits + end);
      position = static_cast<int>(sorted % block_threads);
    }
    if (simt::thread_rank() < n) positions[simt::thread_rank()] = position;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
