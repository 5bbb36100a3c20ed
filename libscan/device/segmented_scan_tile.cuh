// SPDX-License-Identifier: Apache-2.0
// Scans within segments, of tiles in a block's registers (Sengupta, Harris, Zhang & Owens 2007).
#pragma once

#include <algorithm>
#include <utility>

#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/segment_chain.cuh>
#include <libscan/device/segment_window.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The Work of a scan within segments.
template <scan_kind Kind, class In, class Out, class Heads, class Op, class Tuning,
          class Init = typename Op::value_type>
struct segmented_scan_tiles {
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
    __device__ tile(segmented_scan_tiles const& /*work*/, tile_place const& at)
        : base_(at.base), valid_(at.valid) {}

    __device__ __forceinline__ summary summarize(segmented_scan_tiles const& work,
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
    __device__ __forceinline__ void write(segmented_scan_tiles const& work,
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
