// SPDX-License-Identifier: Apache-2.0
// The total of every segment with tiles chained as Merrill & Garland (2016) do: a segmented scan
// that stores one result per segment. A tile gets the place of its results from a second chain of
// tiles, which counts head flags.
#pragma once

#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/segment_outputs.cuh>
#include <libscan/device/segmented_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The segmented reduction: each block claims tiles, one after the other, until none is left.
template <class In, class Op, class Tuning>
struct segmented_reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr bool programmatic_launch = true;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using tile_type = segmented_tile<T, block_threads, rows, width>;
  static constexpr int tile_items = tile_type::tile_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    typename tile_type::head_counts heads;
    index_t segments_before;
    index_t claimed;
  };

  template <class Totals, class Heads, class Keys>
  __device__ void operator()(shared_storage& shared, In in, Totals totals, Heads heads, Keys keys,
                             item_count count, Op op, T init, tile_state<T> state,
                             tile_state<packed_count> counts, index_t* segments) const {
    index_t const n = count.get();
    if (n == 0 && segments != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *segments = 0;
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      index_t const base = tile * tile_items;
      if (base >= n) return;
      int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);

      // 2 load it; 3 scan each warp's part, rank its head flags
      tile_type part;
      part.load(in, heads, base, valid, T(op.identity()));
      auto const warp_end = part.template scan_rows<row_prefix::ended>(init, op);
      auto const ranks = part.rank_heads(shared.heads);

      // 4 publish the tile's open end and how many segments begin in it; look back for both
      auto const entry = part.enter(shared.tile, state, tile, warp_end, op,
                                    [&] { count_segments(shared, counts, tile); });
      auto const begun = part.count_heads(shared.heads);

      // 5 store: a head ends the segment before it, and the last item ends its own
      index_t const before = shared.segments_before;
      part.apply(entry.warp_carry, op);
      part.each_head(ranks, before + begun.before_warp,
                     [&](index_t segment, int i, T const& total) {
                       keys.store(segment, keys.key(base + i));
                       if (segment > 0) totals[segment - 1] = total;
                     });
      if (base + valid == n && threadIdx.x == 0) {
        totals[before + begun.tile - 1] = entry.tile_last;
        if (segments != nullptr) *segments = before + begun.tile;
      }
    }
  }

  /// Finds how many segments begin before the tile, and publishes the number with the tile's. By
  /// one warp.
  static __device__ void count_segments(shared_storage& shared,
                                        tile_state<packed_count> const& counts, index_t tile) {
    packed_count const own{tile_type::count_heads(shared.heads).tile};
    bool const leader = simt::lane_id() == 0;
    packed_count before{0};
    if (tile > 0) {
      if (leader) counts.publish(tile, tile_status::total, own);
      before = look_back(counts, tile, plus_packed_count{});
    }
    if (leader) {
      counts.publish(tile, tile_status::prefix, plus_packed_count{}(before, own));
      shared.segments_before = before.value;
    }
  }
};

/// Launches `segmented_reduce_kernel` in `memory`, which has space for two tile states.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op>
void look_back_segmented_reduce(std::byte* memory, simt::stream on, In in, Totals totals,
                                Heads heads, Keys keys, item_count n, Op op, index_t* d_segments,
                                typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = segmented_reduce_kernel<In, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const values = memory + tile_state<packed_count>::bytes(tiles);
  std::byte* const reset_end = values + tile_state<T>::reset_bytes(tiles);
  simt::fill_async(memory, 0, static_cast<std::size_t>(reset_end - memory), on);
  unsigned const blocks =
      device::blocks_for<kernel, In, Totals, Heads, Keys, item_count, Op, T, tile_state<T>,
                         tile_state<packed_count>, index_t*>(tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, in, totals,
                       heads, keys, n, op, init, tile_state<T>(values, tiles),
                       tile_state<packed_count>(memory, tiles), d_segments);
}

/// Bytes of memory that `look_back_segmented_reduce` needs.
template <class T, class Tuning>
constexpr std::size_t look_back_segmented_reduce_bytes(index_t n) {
  index_t const tile_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  index_t const tiles = ceil_div(n, tile_items);
  return tile_state<packed_count>::bytes(tiles) + tile_state<T>::bytes(tiles);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
