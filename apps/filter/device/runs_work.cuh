// SPDX-License-Identifier: Apache-2.0
// Run-length encoding: a filter of the items that begin runs, and of where they stand. The length
// of the run that is still open is passed on with the counts. One Work holds tiles in registers,
// one runs on the pipeline.
#pragma once

#include <cstdint>

#include <apps/filter/device/filter_tile.cuh>
#include <apps/filter/device/outputs.cuh>
#include <apps/filter/device/pipelined_filter.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/segment_chain.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Summary of consecutive items: the number of runs that begin among them, and the number of items
/// from the last of these beginnings on, or of all items.
struct run_summary {
  index_t runs;
  index_t open;
};

/// Two such stretches, the second directly after the first.
struct join_runs {
  using value_type = run_summary;
  LIBSCAN_HOST_DEVICE static constexpr run_summary identity() { return {0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr run_summary operator()(run_summary earlier,
                                                       run_summary later) const {
    return {earlier.runs + later.runs, later.runs > 0 ? later.open : earlier.open + later.open};
  }
};

/// The outputs of run-length encoding; each an iterator of the device, or `no_output`.
template <class Values, class Lengths, class Offsets>
struct run_outputs {
  Values values;    // [r]: the item that run r repeats
  Lengths lengths;  // [r]: the run's length
  Offsets offsets;  // [r]: the position of its first

  /// Writes what is known where run `run` begins, at position `at`: its own results, and `length`,
  /// the length of the previous run.
  __device__ void begin_run(index_t run, index_t at, index_t length) const {
    if constexpr (wanted<Offsets>) offsets[run] = at;
    if (run > 0) end_run(run - 1, length);
  }
  __device__ void end_run(index_t run, index_t length) const {
    if constexpr (wanted<Lengths>) lengths[run] = length;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan {
/// Counts are integers.
template <>
inline constexpr bool exactly_associative<device::join_runs> = true;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The counts of a tile, and of 32 tiles, fit 32 bits each.
template <>
struct total_format<run_summary> {
  struct value_type {
    std::uint32_t runs;
    std::uint32_t open;
  };
  static __device__ value_type value(run_summary total) {
    return {static_cast<std::uint32_t>(total.runs), static_cast<std::uint32_t>(total.open)};
  }
  static __device__ bool flag(run_summary) { return false; }
  static __device__ run_summary total(value_type value, bool) {
    return {index_t{value.runs}, index_t{value.open}};
  }
  static __device__ run_summary combine_lanes(run_summary total, join_runs) {
    using summary = segment_summary<std::uint32_t>;
    auto const open = static_cast<std::uint32_t>(total.open);
    join_segments<plus<std::uint32_t>> const join{};
    auto const all = total_format<summary>::combine_lanes(summary{total.runs, open}, join);
    return {all.segments, index_t{all.open}};
  }
};

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

    /// Writes the results of the runs that begin in the tile.
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

/// The work of a pipeline that encodes runs.
template <class Item, class Equal, class Outputs, class Tuning>
struct run_work {
  using values_type = decltype(Outputs::values);
  using filter = filter_work<Item, keep_heads<Equal>, filter_outputs<values_type>, Tuning>;
  using summary = run_summary;
  using op_type = join_runs;
  using stage_type = typename filter::stage_type;
  static constexpr int parts = filter::parts;
  static constexpr int part_items = filter::part_items;
  static constexpr int tile_items = filter::tile_items;
  static constexpr int copies = filter::copies;

  filter heads;
  Outputs out;
  index_t* runs;
  op_type op{};

  /// The last run ends with the last item.
  __device__ void finish(summary all) const {
    if (all.runs > 0) out.end_run(all.runs - 1, all.open);
    if (runs != nullptr) *runs = all.runs;
  }

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    heads.fetch(stage, base, valid, full, copy);
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int end) const {
    heads.copy_edges(stage, base, valid, begin, end);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    unsigned last = 0;
    unsigned const count = heads.mark_kept(stage, base, valid, begin, last);
    last = simt::reduce_max(simt::full_warp, last);
    int const left = device::valid_items<part_items>(valid, begin);
    int const open = count == 0 ? left : left - static_cast<int>(last) + 1;
    return {index_t{count}, index_t{open}};
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    auto& part = stage.part[begin / part_items];
    index_t const first = base + begin;
    int const left = device::valid_items<part_items>(valid, begin);
    if constexpr (wanted<values_type>) heads.write_items(part, first, left, before.runs);
    index_t run = before.runs;
    index_t begun = -before.open;  // where the open run began, relative to the part
    heads.each_run_of_offsets(part, [&](std::uint16_t const* offset, int count) {
      for (int i = simt::lane_id(); i < count; i += simt::warp_size) {
        index_t const earlier = i == 0 ? begun : offset[i - 1];
        out.begin_run(run + i, first + offset[i], offset[i] - earlier);
      }
      run += count;
      if (count > 0) begun = offset[count - 1];
    });
    simt::fence_proxy_async();  // the next copy into the stage comes after what was gathered here
    done();
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
