// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of items in memory, on the pipeline.
#pragma once

#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/packed_rows.cuh>
#include <libscan/device/run_pipeline.cuh>
#include <libscan/device/warp_rows.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// How a warp holds a few rows of a part: packed, if sums of such items are faster that way.
template <class Item, class Op, class Out, class Tuning>
struct rows_of {
  using type = warp_rows<typename Op::value_type, Tuning::rows_at_once, Tuning::vector_items>;
};
template <class Item, class T, class Result, class Tuning>
requires packs<Item, plus<T>, Result*, Tuning::vector_items> struct rows_of<Item, plus<T>, Result*,
                                                                            Tuning> {
  using type = packed_rows<Item, T, Result, Tuning::packed_rows_at_once, Tuning::vector_items>;
};

/// The work of a pipeline that scans items into any `out`.
template <scan_kind Kind, class Item, class Out, class Op, class Tuning,
          class Init = typename Op::value_type>
struct scan_work {
  using summary = typename Op::value_type;
  using op_type = Op;
  using rows = typename rows_of<Item, Op, Out, Tuning>::type;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int copies = 1;
  using stage_type = staged_tile<Item, tile_items>;
  static_assert(part_items % rows::items == 0);

  Item const* in;
  Out out;
  Op op;
  Init init;
  total_value_t<summary>* total;

  __device__ void finish(summary const& all) const {
    if (total != nullptr) *total = all;
  }

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int) const {
    stage.fetch(in + base, valid, full);
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.copy_edges(in + base, valid, begin, end);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    return rows::sum(stage.items(in + base) + begin, part_items, valid - begin, op);
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    Item const* const staged = stage.items(in + base);
    for (int i = begin; i < begin + part_items; i += rows::items) {
      rows items;
      items.load(staged + i, valid - i, op);
      if (i + rows::items == begin + part_items) done();
      before = items.template scan<Kind>(before, op);
      items.store(out + base + i, valid - i);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
