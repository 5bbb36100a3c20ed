// SPDX-License-Identifier: Apache-2.0
// A run-length encoding of tiles in a block's registers: a filter of the items that begin runs, and
// of where in the tile they stand.
#pragma once

#include <apps/filter/device/filter_tile.cuh>
#include <apps/filter/device/run_summary.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The Work of a run-length encoding.
template <class In, class Equal, class Outputs, class Tuning>
struct run_tile_work {
  using summary = run_summary;
  using op_type = join_runs;
  using item = typename std::iterator_traits<In>::value_type;
  using heads_type = filter_outputs<decltype(Outputs::values), index_t*>;
  using held = filter_tile<item, keep_heads<Equal>, heads_type, Tuning>;
  using shared_storage = typename held::shared_storage;
  static constexpr int row_items = held::row_items;
  static constexpr int max_rows = Tuning::items_per_thread;

  class tile {
   public:
    __device__ tile(run_tile_work const& /*work*/, tile_place const& at)
        : base_(at.base), valid_(at.valid), held_(at) {}

    /// Finds where runs begin and compacts these items in shared memory.
    __device__ __forceinline__ run_summary summarize(run_tile_work const& work,
                                                     shared_storage& shared) {
      begun_ = held_.evaluate(shared, work.in, work.heads);
      held_.compact(shared);
      simt::sync_block();
      run_summary total{begun_, valid_};
      if (begun_ > 0) total.open -= shared.offset[begun_ - 1];
      return total;
    }

    /// Writes what the runs that begin in the tile tell.
    template <class All>
    __device__ void write(run_tile_work const& work, shared_storage const& shared,
                          tile_place const& /*at*/, run_summary before, All const& /*all*/) const {
      for (int i = static_cast<int>(threadIdx.x); i < begun_; i += Tuning::block_threads) {
        index_t const earlier = i == 0 ? -before.open : index_t{shared.offset[i - 1]};
        if constexpr (wanted<decltype(Outputs::values)>) {
          work.out.values[before.runs + i] = shared.item[i];
        }
        work.out.begin_run(before.runs + i, base_ + shared.offset[i], shared.offset[i] - earlier);
      }
    }

   private:
    index_t base_;
    int valid_;
    held held_;
    int begun_ = 0;
  };

  In in;
  Outputs out;
  keep_heads<Equal> heads;
  index_t* runs;
  op_type op{};

  /// The last run ends with the last item.
  __device__ void finish(run_summary all) const {
    if (all.runs > 0) out.end_run(all.runs - 1, all.open);
    if (runs != nullptr) *runs = all.runs;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
