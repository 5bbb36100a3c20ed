// SPDX-License-Identifier: Apache-2.0
// The totals of few items between offsets: tiles are scanned, chained as Merrill & Garland (2016)
// do, and each searches for the segments that end in it and stores their totals. No marks or
// numbers have to be made before.
#pragma once

#include <algorithm>

#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/segmented_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The reduction: each block claims tiles, one after the other, until none is left. Each tile also
/// has a share of all segments: it stores the totals of the empty ones, at any place.
template <class In, class Offset, class Op, class Tuning>
struct searched_reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr bool programmatic_launch = true;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using tile_type = segmented_tile<T, block_threads, rows, width>;
  static constexpr int tile_items = tile_type::tile_items;
  using heads_type = offsets_searched_per_tile<Offset>;
  using marks = tile_heads<heads_type, block_threads, tile_items>;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    typename marks::shared_storage heads;
    T result[tile_items];
    index_t claimed;
  };

  template <class Totals>
  __device__ void operator()(shared_storage& shared, In in, Totals totals, heads_type heads,
                             item_count count, Op op, T init, tile_state<T> state) const {
    index_t const n = count.get();
    index_t const tiles = ceil_div(n, index_t{tile_items});
    for (;;) {
      // 1 claim a tile and a share
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      index_t const base = tile * tile_items;
      if (tile >= tiles && tile >= shares(heads.segments)) return;
      share const own(heads, tile);  // read early, to be there when the tile is done
      if (tile >= tiles) {
        own.store_empty(totals, n, init);
        simt::sync_block();  // all have read what was claimed
        continue;
      }
      int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);

      // 2 load it; 3 scan each warp's part
      tile_type part;
      part.load_items(in, base, valid, T(op.identity()));
      index_t const first = marks::first_of(heads, base);
      part.load_heads(marks::of(shared.heads, heads, base, valid, first), base, valid);
      auto const warp_end = part.template scan_rows<row_prefix::inclusive>(init, op);

      // 4 publish the tile's open end, look back for the carry
      auto const entry = part.enter(shared.tile, state, tile, warp_end, op, [] {});

      // 5 apply it; 6 store the totals of the segments that end
      part.apply(entry.warp_carry, op);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          shared.result[tile_type::first_item() + r * tile_type::row_items + j] = part.items[r][j];
        }
      }
      simt::sync_block();
      device::each_segment<block_threads>(
          heads, first, [&](index_t segment, index_t from, index_t to) {
            index_t const end = to < n ? to : n;  // what ends after the last item ends with it
            bool const here = base < end && end <= base + valid;
            if (here && begins(from, to, n)) totals[segment] = shared.result[end - 1 - base];
            return from < n && end <= base + valid;
          });
      own.store_empty(totals, n, init);
    }
  }

  /// The number of shares.
  static LIBSCAN_HOST_DEVICE constexpr index_t shares(index_t segments) {
    return ceil_div(segments, index_t{share_segments});
  }

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

    template <class Totals>
    __device__ void store_empty(Totals totals, index_t n, T init) const {
#pragma unroll
      for (int k = 0; k < thread_segments; ++k) {
        index_t const segment = first + k * block_threads;
        bool const empty = !begins(static_cast<index_t>(from[k]), static_cast<index_t>(to[k]), n);
        if (segment < segments && empty) totals[segment] = init;
      }
    }
  };
};

/// Bytes of memory for the tiles of such a reduction.
template <class T, class Tuning>
constexpr std::size_t searched_reduce_bytes(index_t n) {
  index_t const tile_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  return tile_state<T>::bytes(ceil_div(n, tile_items));
}

/// Launches `searched_reduce_kernel` in `memory`, which has `searched_reduce_bytes`.
template <class Tuning, class In, class Totals, class Offset, class Op>
void searched_segmented_reduce(std::byte* memory, simt::stream on, In in, Totals totals,
                               offsets_searched_per_tile<Offset> heads, item_count n, Op op,
                               typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = searched_reduce_kernel<In, Offset, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  simt::fill_async(memory, 0, tile_state<T>::reset_bytes(tiles), on);
  unsigned const blocks = device::blocks_for<kernel, In, Totals, offsets_searched_per_tile<Offset>,
                                             item_count, Op, T, tile_state<T>>(
      std::max(tiles, kernel::shares(heads.segments)), kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, in, totals,
                       heads, n, op, init, tile_state<T>(memory, tiles));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
