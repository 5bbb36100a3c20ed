// SPDX-License-Identifier: Apache-2.0
// A filter of tiles in a block's registers: ballots scan a warp's flags, the block scan its warps';
// what is kept closes its ranks in shared memory and is stored in order.
#pragma once

#include <cstdint>
#include <iterator>

#include <apps/filter/device/outputs.cuh>
#include <apps/filter/device/rules.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/tile_totals.cuh>
#include <libscan/device/tile_work.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile of consecutive items. Each warp has consecutive rows of 32 items, one item of a row
/// per lane. The steps are those of libscan/device/tile_work.cuh.
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
  static constexpr bool reads_all = Rule::reads_items || wants_rejected;
  static_assert(tile_items <= 1 << 16 && items_per_thread <= 32);

  struct shared_storage {
    Item item[wants_items ? tile_items : 1];  // what is kept, then what is not
    std::uint16_t offset[wants_positions ? tile_items : 1];
    block::scan_storage<int, block_threads> scan;
  };

  __device__ explicit filter_tile(tile_place const& at) : base_(at.base), valid_(at.valid) {
    int const thread = static_cast<int>(threadIdx.x);
    int const part = thread / simt::warp_size * at.rows * simt::warp_size;
    int const end = part + at.rows * simt::warp_size;
    local_ = part + simt::lane_id();
    left_ = (end < valid_ ? end : valid_) - local_;
  }

  /// Loads the items and applies the rule. Returns how many the tile keeps.
  template <class In>
  __device__ __forceinline__ int evaluate(shared_storage& shared, In in, Rule const& rule) {
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

  /// Whether this tile, and all tiles before it, keep all items, `before` in the latter.
  __device__ bool keeps_all(index_t before) const { return before == base_ && total_ == valid_; }

  /// Closes the ranks in shared memory, by the ballots of each row.
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

  /// Writes what the tile keeps after the `before` items that earlier tiles keep, and what it
  /// rejects after what earlier tiles reject. `items_stay`: they lie where they go already.
  template <class Rejected>
  __device__ void store(shared_storage const& shared, Outputs const& out, Rejected rejected_begin,
                        index_t before, bool items_stay = false) const {
    int const thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < total_; i += block_threads) {
      if constexpr (wants_items) {
        if (!items_stay) out.items[before + i] = shared.item[i];
      }
      if constexpr (wants_positions) out.store_position(before + i, base_ + shared.offset[i]);
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

/// An output that begins after the last item kept, which only the resident kernel knows.
template <class Out>
struct after_kept {
  Out out;
};

/// The Work of a filter. In place: a tile writes only up to its own end, once all tiles up to it
/// have read.
template <class In, class Rule, class Outputs, class Tuning>
struct filter_tile_work {
  using summary = packed_count;
  using op_type = plus_packed_count;
  using item = typename std::iterator_traits<In>::value_type;
  using held = filter_tile<item, Rule, Outputs, Tuning>;
  using shared_storage = typename held::shared_storage;
  static constexpr int row_items = held::row_items;
  static constexpr int max_rows = Tuning::items_per_thread;
  static constexpr bool can_overwrite_input = can_overwrite<In, typename Outputs::items_type>;

  struct tile : held {
    __device__ tile(filter_tile_work const& /*work*/, tile_place const& at) : held(at) {}

    __device__ __forceinline__ packed_count summarize(filter_tile_work const& work,
                                                      shared_storage& shared) {
      return {index_t{held::evaluate(shared, work.in, work.rule)}};
    }

    __device__ __forceinline__ void settle(filter_tile_work const& /*work*/,
                                           shared_storage& shared) const {
      held::compact(shared);
    }

    template <class All>
    __device__ void write(filter_tile_work const& work, shared_storage const& shared,
                          tile_place const& /*at*/, packed_count before, All const& all) const {
      // The next tile may still read this one's last item. In place this tile writes to it only
      // where it and all tiles before it keep all their items.
      bool stay = false;
      if constexpr (Rule::looks_back && can_overwrite_input) {
        stay = work.overwrites() && held::keeps_all(before.value);
      }
      held::store(shared, work.out, begin_of(work.out.rejected, all), before.value, stay);
    }
  };

  In in;
  Outputs out;
  Rule rule;
  index_t* count;
  op_type op{};

  __device__ bool overwrites() const { return out.in_place; }

  __device__ void finish(packed_count all) const {
    if (count != nullptr) *count = all.value;
  }

 private:
  template <class Rejected, class All>
  static __device__ auto begin_of(Rejected rejected, All const& /*all*/) {
    return device::beginning(rejected);
  }
  template <class Out, class All>
  static __device__ Out begin_of(after_kept<Out> rejected, All const& all) {
    return rejected.out + all().value;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
