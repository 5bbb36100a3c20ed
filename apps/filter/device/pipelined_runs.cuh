// SPDX-License-Identifier: Apache-2.0
// Run-length encoding of items in memory, on the pipeline: a filter of the runs' first items; the
// length of the run that is still open is passed on with the counts.
#pragma once

#include <apps/filter/device/pipelined_filter.cuh>
#include <apps/filter/device/run_summary.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
