// SPDX-License-Identifier: Apache-2.0
// Device-wide scan within segments, of items and heads in memory, on the pipeline.
#pragma once

#include <libscan/core/tuning.hpp>
#include <libscan/device/pipeline.cuh>
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

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full) const {
    stage.items.fetch(in + base, valid, full);
    stage.heads.fetch(heads, base, valid, full);
  }

  __device__ void complete(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.items.complete(in + base, valid, begin, end);
    stage.heads.complete(heads, base, valid, begin, end);
  }

  /// From the part's end backwards to its last head.
  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    Item const* const staged = stage.items.items(in + base);
    auto const reader = stage.heads.reader(heads, base, valid);
    int i = begin + part_items - rows::items;
    unsigned own[rows_at_once];
    bool any = load_heads(own, reader, base, valid, i);
    if (!any && !any_heads(reader, base, valid, begin)) {
      return {rows::sum(staged + begin, part_items, valid - begin, op), false};
    }
    T sum = op.identity();
    for (bool headed = false;;) {
      rows items;
      items.load(staged + i, valid - i, op);
#pragma unroll
      for (int r = rows_at_once - 1; r >= 0; --r) {
        if (any) {
          unsigned const lanes = simt::ballot(simt::full_warp, own[r] != 0);
          keep_open_end(items.row(r), own[r], lanes, headed, T(op.identity()));
          headed = headed || lanes != 0;
        }
        T row = rows::lane_sum(items.row(r), op);
        if constexpr (!commutative<Op>) row = warp::combine(row, op);
        sum = op(row, sum);
      }
      if (headed) break;
      i -= rows::items;
      any = load_heads(own, reader, base, valid, i);
    }
    if constexpr (commutative<Op>) sum = warp::combine(sum, op);
    return {op(init, sum), true};
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    constexpr row_prefix what =
        Kind == scan_kind::inclusive ? row_prefix::inclusive : row_prefix::exclusive;
    Item const* const staged = stage.items.items(in + base);
    auto const reader = stage.heads.reader(heads, base, valid);
    for (int i = begin; i < begin + part_items; i += rows::items) {
      rows items;
      items.load(staged + i, valid - i, op);
      unsigned own[rows_at_once];
      bool const any = load_heads(own, reader, base, valid, i);
      if (i + rows::items == begin + part_items) done();
      if (any) {
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) {
          scan_row<what>(items.row(r), own[r], before, init, op);
        }
      } else {
        before.value = items.template scan<Kind>(before.value, op);
      }
      items.store(out + base + i, valid - i);
    }
  }

 private:
  static constexpr int rows_at_once = Tuning::rows_at_once;

  /// The head bits of the caller's items of one row, which begins at item `first`.
  template <class Reader>
  static __device__ unsigned row_heads(Reader const& reader, index_t base, int valid, int first) {
    int const i = first + simt::lane_id() * width;
    int const rest = valid - i;
    unsigned const own = reader.template bits<width>(i, rest < 0 ? 0 : rest < width ? rest : width);
    return base + i == 0 ? own | 1u : own;
  }

  /// The same for the rows that are held at once; returns whether there is any head in them.
  template <class Reader>
  static __device__ bool load_heads(unsigned (&own)[rows_at_once], Reader const& reader,
                                    index_t base, int valid, int first) {
    unsigned all = 0;
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      own[r] = row_heads(reader, base, valid, first + r * rows::row_items);
      all |= own[r];
    }
    return simt::any(simt::full_warp, all != 0);
  }

  /// Whether there is any head in the other rows of a part, before its last.
  template <class Reader>
  static __device__ bool any_heads(Reader const& reader, index_t base, int valid, int begin) {
    unsigned all = 0;
#pragma unroll
    for (int r = 0; r < Tuning::rows - rows_at_once; ++r) {
      all |= row_heads(reader, base, valid, begin + r * rows::row_items);
    }
    return simt::any(simt::full_warp, all != 0);
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
