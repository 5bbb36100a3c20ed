// SPDX-License-Identifier: Apache-2.0
// A binary scan of tiles in a block's registers: ranks by population counts, 32 items a thread (the
// scan of a warp's ballots, Harris & Garland 3.2.2, on bits that lie in memory).
#pragma once

#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/mask_words.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The Work of a binary scan. `total` may be null.
template <scan_kind Kind, class Mask, class Rank, class Tuning>
struct rank_tiles {
  using summary = packed_count;
  using op_type = plus_packed_count;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int row_items = block_threads * word_items;
  static constexpr int max_rows = 1;

  struct shared_storage {
    block::scan_storage<int, block_threads> scan;
    ranked_word<Rank> words[block_threads];
  };

  class tile {
   public:
    __device__ tile(rank_tiles const& /*work*/, tile_place const& at)
        : base_(at.base), valid_(at.valid) {}

    /// Loads one word per thread and scans the words' counts.
    __device__ __forceinline__ packed_count summarize(rank_tiles const& work,
                                                      shared_storage& shared) {
      int const begin = static_cast<int>(threadIdx.x) / simt::warp_size * word_row_items;
      device::load_words(work.mask, base_ + begin,
                         device::valid_items<word_row_items>(valid_, begin), word_);
      auto const before = block::exclusive_scan(shared.scan, simt::popc(word_[0]), plus<int>{});
      in_tile_ = before.prefix;
      return {before.total};
    }

    /// Ranks the items of each word.
    template <class All>
    __device__ __forceinline__ void write(rank_tiles const& work, shared_storage& shared,
                                          tile_place const& /*at*/, packed_count before,
                                          All const& /*all*/) const {
      shared.words[threadIdx.x] = {static_cast<Rank>(before.value + in_tile_), word_[0]};
      simt::sync_block();
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      device::rank_words<warps, Kind>(shared.words, warp, work.ranks + base_, valid_);
    }

   private:
    index_t base_;
    int valid_;
    int in_tile_ = 0;  // the ones before the thread's word
    unsigned word_[1];
  };

  Mask mask;
  Rank* ranks;
  index_t* total;
  op_type op{};

  __device__ void finish(packed_count all) const {
    if (total != nullptr) *total = all.value;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
