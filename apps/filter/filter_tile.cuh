// SPDX-License-Identifier: Apache-2.0
// One tile of a filter in a block's registers: ballots scan a warp's flags, the block scan its
// warps' counts; the kept items are compacted in shared memory and stored in order.
#pragma once

#include <cstdint>
#include <iterator>

#include <apps/filter/outputs.cuh>
#include <apps/filter/rules.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile of consecutive items: each warp has consecutive rows of 32, and each lane one item of a
/// row. All threads of the block call each function, in the order of their declarations, with a
/// barrier before store().
template <class Item, class Rule, class Outputs, class Tuning>
class filter_tile {
 public:
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int row_items = block_threads;  // a row of every warp
  static constexpr int tile_items = items_per_thread * row_items;
  static constexpr bool wants_items = wanted<typename Outputs::items_type>;
  static constexpr bool wants_positions = wanted<typename Outputs::positions_type>;
  static constexpr bool wants_rejected = wanted<typename Outputs::rejected_type>;
  // A mask says which items are needed; otherwise all are.
  static constexpr bool reads_all = Rule::asks_items || wants_rejected;
  static_assert(tile_items <= 1 << 16 && items_per_thread <= 32);

  struct shared_storage {
    Item item[wants_items ? tile_items : 1];  // what is kept, then what is not
    std::uint16_t offset[wants_positions ? tile_items : 1];
    block::scan_storage<int, block_threads> scan;
  };

  /// Items [base, base + valid), in `rows` <= items_per_thread rows of every warp.
  __device__ filter_tile(index_t base, int valid, int rows = items_per_thread)
      : base_(base), valid_(valid) {
    int const thread = static_cast<int>(threadIdx.x);
    int const part = thread / simt::warp_size * rows * simt::warp_size;
    int const end = part + rows * simt::warp_size;
    local_ = part + simt::lane_id();
    left_ = (end < valid ? end : valid) - local_;
  }

  /// Loads the items and applies the rule. Returns how many the tile keeps.
  template <class In>
  __device__ __forceinline__ int ask(shared_storage& shared, In in, Rule const& rule) {
    index_t const first = base_ + local_;
    if constexpr (reads_all) load(in, first);
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      index_t const i = first + row * simt::warp_size;
      if (row * simt::warp_size < left_ && rule(in, i, items_[row])) kept_ |= 1u << row;
    }
    if constexpr (wants_items && !reads_all) {
      // All in flight together, once all of the mask has arrived.
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        if ((kept_ >> row & 1u) != 0) items_[row] = in[first + row * simt::warp_size];
      }
    }
    auto const in_warp =
        simt::reduce_add(simt::full_warp, static_cast<unsigned>(simt::popc(kept_)));
    auto const in_block = block::scan_of_warps(shared.scan, static_cast<int>(in_warp), plus<int>{});
    before_warp_ = in_block.prefix;
    return total_ = in_block.total;
  }

  /// Compacts in shared memory, by the ballots of each row.
  __device__ __forceinline__ void compact(shared_storage& shared) const {
    int place = before_warp_;
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      bool const keeps = (kept_ >> row & 1u) != 0;
      warp::binary_scan_result const scanned = warp::binary_scan(keeps);
      int const rank = place + scanned.rank;
      int const at = local_ + row * simt::warp_size;
      if (keeps) {
        if constexpr (wants_items) shared.item[rank] = items_[row];
        if constexpr (wants_positions) shared.offset[rank] = static_cast<std::uint16_t>(at);
      } else if (wants_rejected && row * simt::warp_size < left_) {
        shared.item[total_ + at - rank] = items_[row];
      }
      place += scanned.count;
    }
  }

  /// Writes the tile's kept items after the `before` items that earlier tiles keep, and its
  /// rejected items after those that earlier tiles reject. `items_stay`: the kept items are in
  /// their places already.
  template <class Rejected>
  __device__ void store(shared_storage const& shared, Outputs const& out, Rejected rejected_begin,
                        index_t before, bool items_stay = false) const {
    int const thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < total_; i += block_threads) {
      if constexpr (wants_items) {
        if (!items_stay) out.items[before + i] = shared.item[i];
      }
      if constexpr (wants_positions) out.positions[before + i] = base_ + shared.offset[i];
    }
    if constexpr (wants_rejected) {
      auto const rejected = rejected_begin + (base_ - before);
      for (int i = total_ + thread; i < valid_; i += block_threads) {
        rejected[i - total_] = shared.item[i];
      }
    }
  }

 private:
  /// items_[row] = in[first + 32 row], for the rows in which the lane has an item.
  template <class In>
  __device__ __forceinline__ void load(In in, index_t first) {
    if (left_ > (items_per_thread - 1) * simt::warp_size) {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        items_[row] = in[first + row * simt::warp_size];
      }
    } else {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        if (row * simt::warp_size < left_) items_[row] = in[first + row * simt::warp_size];
      }
    }
  }

  index_t base_;
  int valid_;
  int local_;  // of the lane's first item in the tile
  int left_;   // items from there to the end of the warp's
  Item items_[items_per_thread]{};
  unsigned kept_ = 0;  // bit by row
  int before_warp_ = 0;
  int total_ = 0;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
