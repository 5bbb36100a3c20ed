// SPDX-License-Identifier: Apache-2.0
// One tile of a run-length encoding in a block's registers: a filter of the items that begin runs,
// and of their positions in the tile.
#pragma once

#include <apps/filter/filter_tile.cuh>
#include <apps/filter/run_summary.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile of consecutive items. All threads of the block call each function, in the order of their
/// declarations, with a barrier before store().
template <class Item, class Equal, class Outputs, class Tuning>
class run_tile {
  static constexpr bool wants_values = wanted<decltype(Outputs::values)>;
  using heads_type = filter_outputs<decltype(Outputs::values), index_t*>;
  using tile_type = filter_tile<Item, keep_heads<Equal>, heads_type, Tuning>;

 public:
  static constexpr int row_items = tile_type::row_items;
  static constexpr int tile_items = tile_type::tile_items;
  using shared_storage = typename tile_type::shared_storage;

  /// Items [base, base + valid), in `rows` rows of every warp.
  __device__ run_tile(index_t base, int valid, int rows = Tuning::items_per_thread)
      : base_(base), valid_(valid), tile_(base, valid, rows) {}

  /// Finds where runs begin and compacts these items in shared memory; returns the tile's summary.
  /// Ends with a barrier.
  template <class In>
  __device__ __forceinline__ run_summary summarise(shared_storage& shared, In in,
                                                   keep_heads<Equal> const& heads) {
    begun_ = tile_.ask(shared, in, heads);
    tile_.compact(shared);
    simt::sync_block();
    run_summary total{begun_, valid_};
    if (begun_ > 0) total.open -= shared.offset[begun_ - 1];
    return total;
  }

  /// Writes the results of the runs that begin in the tile; `before` is the summary of all earlier
  /// tiles.
  __device__ void store(shared_storage const& shared, Outputs const& out,
                        run_summary before) const {
    for (int i = static_cast<int>(threadIdx.x); i < begun_; i += Tuning::block_threads) {
      index_t const earlier = i == 0 ? -before.open : index_t{shared.offset[i - 1]};
      if constexpr (wants_values) out.values[before.runs + i] = shared.item[i];
      out.begin_run(before.runs + i, base_ + shared.offset[i], shared.offset[i] - earlier);
    }
  }

 private:
  index_t base_;
  int valid_;
  tile_type tile_;
  int begun_ = 0;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
