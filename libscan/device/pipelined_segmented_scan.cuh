// SPDX-License-Identifier: Apache-2.0
// Device-wide scan within segments, of items and heads in memory, on the pipeline.
#pragma once

#include <libscan/core/tuning.hpp>
#include <libscan/device/run_pipeline.cuh>
#include <libscan/device/segmented_row.cuh>
#include <libscan/device/staged_heads.cuh>
#include <libscan/device/warp_rows.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The work of a pipeline that scans items within segments into whatever `out` is.
template <scan_kind Kind, class Item, class Out, class Heads, class Op, class Tuning>
struct segmented_scan_work {
  using T = typename Op::value_type;
  using summary = open_end<T>;
  using op_type = join_ends<Op>;
  static constexpr int width = Tuning::vector_items;
  using rows = warp_rows<T, Tuning::rows_at_once, width>;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int batches = Tuning::rows / Tuning::rows_at_once;
  using heads_type = staged_heads<Heads, tile_items>;
  static constexpr int copies = 1 + heads_type::copies;
  static_assert(part_items % rows::items == 0);

  struct stage_type {
    staged_tile<Item, tile_items> items;
    heads_type heads;
  };

  Item const* in;
  Heads heads;
  Out out;
  Op op;
  T init;

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    if (copy == 0) {
      stage.items.fetch(in + base, valid, full);
    } else {
      stage.heads.fetch(heads, base, valid, full);
    }
  }

  __device__ void complete(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.items.complete(in + base, valid, begin, end);
    stage.heads.complete(heads, base, valid, begin, end);
  }

  /// The rows of a part, scanned; what comes before the part is missing up to its first head.
  class held_part {
   public:
    template <class Done>
    __device__ summary take(segmented_scan_work const& work, stage_type& stage, index_t base,
                            int valid, int begin, Done done) {
      constexpr row_prefix what =
          Kind == scan_kind::inclusive ? row_prefix::inclusive : row_prefix::exclusive;
      Item const* const staged = stage.items.items(work.in + base);
      auto const reader = stage.heads.reader(work.heads, base, valid);
      summary all{work.op.identity(), false};
      headless_ = part_items;
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        int const first = begin + b * rows::items;
        unsigned own[Tuning::rows_at_once];
        bool const any = load_heads(own, reader, base, valid, first);
        batch_[b].load(staged + first, valid - first, work.op);
        if (b + 1 == batches) done();
        if (any) {
          if (!all.has_head) headless_ = b * rows::items + first_head(own);
#pragma unroll
          for (int r = 0; r < Tuning::rows_at_once; ++r) {
            scan_row<what>(batch_[b].row(r), own[r], all, work.init, work.op);
          }
        } else {
          all.value = batch_[b].template scan<Kind>(all.value, work.op);
        }
      }
      return all;
    }

    template <class Done>
    __device__ void finish(segmented_scan_work const& work, stage_type&, index_t base, int valid,
                           int begin, summary before, Done) {
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        int const first = begin + b * rows::items;
        batch_[b].prepend(before.value, work.op, headless_ - b * rows::items);
        batch_[b].store(work.out + base + first, valid - first);
      }
    }

   private:
    rows batch_[batches];
    int headless_;  // the items before the first head
  };

 private:
  /// The head bits of the caller's items in rows from item `first` on; returns whether there is any
  /// head in them.
  template <class Reader>
  static __device__ bool load_heads(unsigned (&own)[Tuning::rows_at_once], Reader const& reader,
                                    index_t base, int valid, int first) {
    int const i = first + simt::lane_id() * width;
    if (valid - first >= rows::items && reader.template whole<width>(first, first + rows::items)) {
#pragma unroll
      for (int r = 0; r < Tuning::rows_at_once; ++r) {
        own[r] = reader.template whole_bits<width>(i + r * rows::row_items);
      }
    } else {
#pragma unroll
      for (int r = 0; r < Tuning::rows_at_once; ++r) {
        int const rest = valid - i - r * rows::row_items;
        own[r] = reader.template bits<width>(i + r * rows::row_items, rest < 0       ? 0
                                                                      : rest < width ? rest
                                                                                     : width);
      }
    }
    if (base + i == 0) own[0] |= 1u;
    unsigned all = 0;
#pragma unroll
    for (int r = 0; r < Tuning::rows_at_once; ++r) all |= own[r];
    return simt::any(simt::full_warp, all != 0);
  }

  /// Where the first of the warp's heads is in these rows, of which there is one.
  static __device__ int first_head(unsigned const (&own)[Tuning::rows_at_once]) {
    unsigned first = rows::items;
#pragma unroll
    for (int r = Tuning::rows_at_once - 1; r >= 0; --r) {
      int const i = r * rows::row_items + simt::lane_id() * width;
      if (own[r] != 0) first = static_cast<unsigned>(i + simt::ffs(own[r]) - 1);
    }
    return static_cast<int>(simt::reduce_min(simt::full_warp, first));
  }
};

/// Scans n items within segments with a pipeline. `heads`: as `prepare_heads` returns it.
/// `memory`: of `pipeline_bytes<open_end<T>>` for n's tiles, in the workspace.
template <scan_kind Kind, class Tuning, class Item, class Out, class Heads, class Op>
void pipelined_segmented_scan(workspace& ws, std::byte* memory, Item const* in, Out out,
                              Heads heads, item_count n, Op op, typename Op::value_type init) {
  using work = segmented_scan_work<Kind, Item, Out, Heads, Op, Tuning>;
  join_ends<Op> const joined{op};
  run_pipeline<Tuning>(ws, memory, work{in, heads, out, op, init}, n, joined,
                       open_end<typename Op::value_type>{op.identity(), false}, nullptr);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
