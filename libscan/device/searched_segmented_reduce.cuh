// SPDX-License-Identifier: Apache-2.0
// The totals of few items between offsets: tiles are scanned, chained as Merrill & Garland (2016)
// do, and each searches for the segments that end in it and stores their totals. No marks or
// numbers have to be made before.
#pragma once

#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/segment_chain.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The Work of such a reduction. Each tile also has a share of all segments: it stores the totals
/// of the empty ones, at any place.
template <class In, class Totals, class Offset, class Op, class Tuning,
          class Init = typename Op::value_type>
struct searched_segment_totals {
  using T = typename Op::value_type;
  using summary = segment_carry<T>;
  using op_type = join_carries<Op>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using part_type = segmented_tile<T, block_threads, rows, width>;
  using heads_type = offsets_searched_per_tile<Offset>;
  using marks = tile_heads<heads_type, block_threads, part_type::tile_items>;
  static constexpr int row_items = part_type::tile_items;
  static constexpr int max_rows = 1;
  static constexpr bool programmatic_launch = true;

  struct shared_storage {
    typename part_type::shared_storage tile;
    typename marks::shared_storage heads;
    T result[part_type::tile_items];
  };

 private:
  static constexpr int thread_segments = 2;  // of a share
  static constexpr int share_segments = thread_segments * block_threads;

  /// Whether a segment has items.
  static __device__ bool begins(index_t from, index_t to, index_t n) {
    return from >= 0 && from < to && from < n;
  }

  /// A thread's part of a share.
  struct share {
    index_t first;
    index_t segments;
    Offset from[thread_segments] = {};
    Offset to[thread_segments] = {};

    __device__ share(heads_type const& heads, index_t number)
        : first(number * share_segments + static_cast<index_t>(threadIdx.x)),
          segments(heads.segments) {
#pragma unroll
      for (int k = 0; k < thread_segments; ++k) {
        index_t const segment = first + k * block_threads;
        if (segment < segments) from[k] = heads.offsets[segment];
        if (segment < segments) to[k] = heads.offsets[segment + 1];
      }
    }

    __device__ void store_empty(Totals to_all, index_t n, T init) const {
#pragma unroll
      for (int k = 0; k < thread_segments; ++k) {
        index_t const segment = first + k * block_threads;
        bool const empty = !begins(static_cast<index_t>(from[k]), static_cast<index_t>(to[k]), n);
        if (segment < segments && empty) to_all[segment] = init;
      }
    }
  };

 public:
  class tile {
   public:
    __device__ tile(searched_segment_totals const& work, tile_place const& at)
        : n_(at.n),
          base_(at.base),
          valid_(at.valid),
          share_(work.heads, at.base / row_items) {}  // read early: there when the tile is done

    __device__ __forceinline__ summary summarize(searched_segment_totals const& work,
                                                 shared_storage& shared) {
      Op const by = work.op.op;
      part_.load_items(work.in, base_, valid_, T(by.identity()));
      first_ = marks::first_of(work.heads, base_);
      part_.load_heads(marks::of(shared.heads, work.heads, base_, valid_, first_), base_, valid_);
      auto const end = part_.template scan_rows<row_prefix::inclusive>(work.segment_init, by);
      carries_ = part_.join_warps(shared.tile, end, by);
      return carries_.tile;
    }

    __device__ bool needs_prefix() const { return part_.begins_open(); }

    /// Stores what segments end with.
    template <class All>
    __device__ __forceinline__ void write(searched_segment_totals const& work,
                                          shared_storage& shared, tile_place const& /*at*/,
                                          summary const& before, All const& /*all*/) {
      part_.apply(carries_.warp_carry(before.value, work.op.op), work.op.op);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          shared.result[part_type::first_item() + r * part_type::row_items + j] = part_.items[r][j];
        }
      }
      simt::sync_block();
      index_t const n = n_, base = base_, all = base_ + valid_;
      device::each_segment<block_threads>(
          work.heads, first_, [&](index_t segment, index_t from, index_t to) {
            index_t const end = to < n ? to : n;  // what ends after the last item ends with it
            bool const here = base < end && end <= all;
            if (here && begins(from, to, n)) work.totals[segment] = shared.result[end - 1 - base];
            return from < n && end <= all;
          });
      share_.store_empty(work.totals, n, work.segment_init);
    }

   private:
    index_t n_;
    index_t base_;
    int valid_;
    share share_;
    index_t first_;  // of the segments that end in the tile
    part_type part_;
    typename part_type::warp_carries carries_;
  };

  In in;
  Totals totals;
  heads_type heads;
  op_type op;
  Init segment_init;

  __device__ void finish(summary const& /*all*/) const {}

  /// The number of shares. Share k belongs to tile k.
  LIBSCAN_HOST_DEVICE index_t shares() const {
    return ceil_div(heads.segments, index_t{share_segments});
  }

  /// Does a share that belongs to no tile.
  __device__ void do_share(index_t number, index_t n) const {
    share(heads, number).store_empty(totals, n, segment_init);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
