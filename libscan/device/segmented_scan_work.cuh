// SPDX-License-Identifier: Apache-2.0
// The Works of scans within segments (Sengupta, Harris, Zhang & Owens 2007): of tiles in a block's
// registers, and of items and head flags in memory, on the pipeline. There a tile's results wait
// for its carry in shared memory, in place of items of their type.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <libscan/core/tuning.hpp>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/segment_chain.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/device/segmented_row.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/staged_segments.cuh>
#include <libscan/device/tile_work.cuh>
#include <libscan/device/warp_rows.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The Work of a scan within segments.
template <scan_kind Kind, class In, class Out, class Heads, class Op, class Tuning,
          class Init = typename Op::value_type>
struct register_segmented_scan {
  using T = typename Op::value_type;
  using summary = segment_carry<T>;
  using op_type = join_carries<Op>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int width =
      warp::row_width<std::max(warp::item_bytes<In, T>, warp::item_bytes<Out, T>),
                      Tuning::items_per_thread>;
  using part_type = segmented_tile<T, block_threads, Tuning::items_per_thread / width, width>;
  using marks = tile_heads<Heads, block_threads, part_type::tile_items>;
  using written_items = decltype(device::items_in_segments(std::declval<Heads const&>(), 0));
  static constexpr int row_items = part_type::tile_items;
  static constexpr int max_rows = 1;
  static constexpr bool programmatic_launch = true;

  // What finds head flags is a base: nvcc 13.0 misplaces what follows an empty
  // [[no_unique_address]] member.
  struct shared_storage : marks::shared_storage {
    typename part_type::shared_storage tile;
  };

  class tile {
   public:
    __device__ tile(register_segmented_scan const& /*work*/, tile_place const& at)
        : base_(at.base), valid_(at.valid) {}

    __device__ __forceinline__ summary summarize(register_segmented_scan const& work,
                                                 shared_storage& shared) {
      constexpr row_prefix what =
          Kind == scan_kind::inclusive ? row_prefix::inclusive : row_prefix::exclusive;
      Op const by = work.op.op;
      part_.load_items(work.in, base_, valid_, T(by.identity()));
      part_.load_heads(marks::of(shared, work.heads, base_, valid_), base_, valid_);
      auto const end = part_.template scan_rows<what>(work.segment_init, by);
      written_ = device::items_in_segments(work.heads, base_);
      carries_ = part_.join_warps(shared.tile, end, by);
      return carries_.tile;
    }

    __device__ bool needs_prefix() const { return part_.begins_open(); }

    template <class All>
    __device__ __forceinline__ void write(register_segmented_scan const& work,
                                          shared_storage& /*shared*/, tile_place const& /*at*/,
                                          summary const& before, All const& /*all*/) {
      part_.apply(carries_.warp_carry(before.value, work.op.op), work.op.op);
      part_.store(work.out, base_, valid_, written_);
    }

   private:
    index_t base_;
    int valid_;
    part_type part_;
    typename part_type::warp_carries carries_;
    written_items written_;
  };

  In in;
  Out out;
  Heads heads;
  op_type op;
  Init segment_init;

  __device__ void finish(summary const& /*all*/) const {}
};

/// The work of a pipeline that scans items within segments into any `out`.
template <scan_kind Kind, class Item, class Out, class Heads, class Op, class Tuning,
          class Init = typename Op::value_type>
struct pipelined_segmented_scan : staged_segments<Item, typename Op::value_type, Heads, Tuning> {
  using T = typename Op::value_type;
  using staged = staged_segments<Item, T, Heads, Tuning>;
  using staged::batches;
  using staged::part_items;
  using typename staged::batch;
  using typename staged::stage_type;
  using summary = segment_carry<T>;
  using op_type = join_carries<Op>;
  // For writing; `batch` is for scanning.
  using rows = warp_rows<T, Tuning::lane_vectors, Tuning::vector_items>;
  static_assert(rows::items == batch::items);

  Out out;
  op_type op;
  Init segment_init;

  /// What is left of a part in registers. Its results wait in the stage; those up to its first head
  /// lack the carry of the part.
  class tile_part {
   public:
    __device__ summary summarize(pipelined_segmented_scan const& work, stage_type& stage,
                                 index_t base, int valid, int begin) {
      constexpr row_prefix what =
          Kind == scan_kind::inclusive ? row_prefix::inclusive : row_prefix::exclusive;
      Item const* const items = stage.items.items(work.in + base);
      T* const results = work.values(stage, base);
      auto const reader = stage.heads.reader(work.heads, base, valid);
      summary all = work.op.identity();
      T const init = work.segment_init;
      headless_ = part_items;
      // Known before the loop, in which every register counts.
      bool const partly_written = !device::all_in_segments(work.heads, base, base + valid);
      int const first_of_all = base == 0 ? 0 : -1;
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        int const first = begin + b * batch::items;
        int const at = first + simt::lane_id() * batch::lane_items;
        unsigned own = batch::load_heads(reader, valid, first, at);
        if (at == first_of_all) own |= 1u;
        T item[batch::lane_items];
        batch::load(item, items, valid, first, at, T(work.op.op.identity()));
        bool const had_head = all.has_head;
        auto const note_head = [&] {
          if (!had_head) headless_ = b * batch::items + items_before_head(own);
        };
        if constexpr (notes_head_early) note_head();
        device::scan_row<what>(item, own, all, init, work.op.op);
        if constexpr (!notes_head_early) note_head();
        batch::store(results, at, item);
      }
      if (partly_written) headless_ += partly_in_segments;
      return all;
    }

    template <class Done>
    __device__ void write(pipelined_segmented_scan const& work, stage_type& stage, index_t base,
                          int valid, int begin, summary before, Done done) {
      T const* const results = work.values(stage, base);
      if (headless_ < partly_in_segments) {
        write_by(work, results, valid, begin, before, done, [&](rows const& result, int first) {
          result.store(work.out + base + first, valid - first);
        });
      } else {
        headless_ -= partly_in_segments;
        auto const written = device::items_in_segments(work.heads, base);
        write_by(work, results, valid, begin, before, done, [&](rows const& result, int first) {
          Out const to = work.out + base + first;
          result.each(valid - first, [&](int i, T const& x) {
            if (written.has(first + i)) to[i] = x;
          });
        });
      }
    }

   private:
    // Keys are compared in registers; then there are too few left for the other order.
    static constexpr bool notes_head_early = staged_heads<Heads, part_items>::bits_per_item > 8;

    /// Writes the part's results with store(result, first).
    template <class Done, class Store>
    __device__ __forceinline__ void write_by(pipelined_segmented_scan const& work, T const* results,
                                             int valid, int begin, summary const& before, Done done,
                                             Store store) {
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        int const first = begin + b * batch::items;
        rows result;
        result.load(results + first, valid - first, work.op.op);
        result.prepend(before.value, work.op.op, headless_ - b * batch::items);
        if (b + 1 == batches) {
          simt::fence_proxy_async();  // the next copy into the stage comes after what was read here
          done();
        }
        store(result, first);
      }
    }

    static constexpr int partly_in_segments = 1 << 20;  // more than any part has items

    int headless_;  // the items before the first head; more if some of the tile are in no segment
  };

 private:
  /// How many items of the warp's batch come before its first head; all, if there is none.
  static __device__ int items_before_head(unsigned own) {
    unsigned const lanes = simt::ballot(simt::full_warp, own != 0);
    if (lanes == 0) return batch::items;
    int const lane = simt::ffs(lanes) - 1;
    return lane * batch::lane_items + simt::ffs(simt::shfl(simt::full_warp, own, lane)) - 1;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
