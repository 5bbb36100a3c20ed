// SPDX-License-Identifier: Apache-2.0
// The total of every segment with tiles chained as Merrill & Garland (2016) do: a segmented scan
// that stores one result per segment. A tile knows where its results go by a second chain of tiles,
// which counts heads.
#pragma once

#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/segment_outputs.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/warp/bitwise_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The segmented reduction: each block claims tiles, one after the other, until none is left.
template <class In, class Op, class Tuning>
struct segmented_reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using tile_type = segmented_tile<T, block_threads, rows, width>;
  static constexpr int tile_items = tile_type::tile_items;
  static constexpr int warps = tile_type::warps;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    int heads[warps];
    index_t segments_before;
    index_t claimed;
  };

  template <class Totals, class Heads, class Keys>
  __device__ void operator()(shared_storage& shared, In in, Totals totals, Heads heads, Keys keys,
                             item_count count, Op op, T init, tile_state<T> state,
                             tile_state<position> counts, index_t* segments) const {
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

      // 2 load it; 3 scan each warp's part, rank its heads
      tile_type part;
      part.load(in, heads, base, valid, T(op.identity()));
      auto const warp_end = part.template scan_rows<row_prefix::ended>(init, op);
      int ranks[rows];
      int const warp_heads = rank_rows(part, ranks);
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      if (simt::lane_id() == 0) shared.heads[warp] = warp_heads;

      // 4 publish what the tile leaves behind and how many segments it begins; look back for both
      auto const entry = part.enter(shared.tile, state, tile, warp_end, op,
                                    [&] { count_segments(shared, counts, tile); });
      int tile_heads = 0;
      int warps_before = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        if (w == warp) warps_before = tile_heads;
        tile_heads += shared.heads[w];
      }

      // 5 store: a head ends the segment before it, and the last item its own
      index_t const before = shared.segments_before;
      part.apply(entry.warp_carry, op);
      put(part, ranks, before + warps_before, base, totals, keys);
      if (base + valid == n && threadIdx.x == 0) {
        totals[before + tile_heads - 1] = entry.tile_last;
        if (segments != nullptr) *segments = before + tile_heads;
      }
    }
  }

  /// ranks[r] = the heads of the warp before the caller's part of row r. Returns the warp's heads.
  static __device__ int rank_rows(tile_type const& part, int (&ranks)[rows]) {
    constexpr int bits = width >= 16 ? 5 : width >= 8 ? 4 : width >= 4 ? 3 : width >= 2 ? 2 : 1;
    int all = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const own = static_cast<unsigned>(simt::popc(part.row_heads(r)));
      auto const row = warp::bitwise_scan<bits>(own);
      ranks[r] = all + static_cast<int>(row.prefix);
      all += static_cast<int>(row.total);
    }
    return all;
  }

  /// Finds how many segments begin before the tile, and tells others. By one warp.
  static __device__ void count_segments(shared_storage& shared, tile_state<position> const& counts,
                                        index_t tile) {
    position own{0};
#pragma unroll
    for (int w = 0; w < warps; ++w) own.value += shared.heads[w];
    bool const leader = simt::lane_id() == 0;
    position before{0};
    if (tile > 0) {
      if (leader) counts.publish(tile, tile_status::total, own);
      before = look_back(counts, tile, plus_position{});
    }
    if (leader) {
      counts.publish(tile, tile_status::prefix, plus_position{}(before, own));
      shared.segments_before = before.value;
    }
  }

  /// Stores what ended at each head of the caller. `before`: the segments begun before the warp.
  template <class Totals, class Keys>
  static __device__ void put(tile_type const& part, int const (&ranks)[rows], index_t before,
                             index_t base, Totals totals, Keys keys) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const own = part.row_heads(r);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        if ((own >> j & 1u) == 0) continue;
        index_t const i = base + part.first_item() + r * tile_type::row_items + j;
        index_t const segment = before + ranks[r] + simt::popc(own & ((1u << j) - 1));
        keys.begin(segment, i);
        if (segment > 0) totals[segment - 1] = part.items[r][j];
      }
    }
  }
};

/// Launches `segmented_reduce_kernel` in `memory`, which has room for two tile states.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op>
void look_back_segmented_reduce(std::byte* memory, simt::stream on, In in, Totals totals,
                                Heads heads, Keys keys, item_count n, Op op, index_t* d_segments,
                                typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = segmented_reduce_kernel<In, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const values = memory + tile_state<position>::bytes(tiles);
  std::byte* const reset_end = values + tile_state<T>::reset_bytes(tiles);
  simt::fill_async(memory, 0, static_cast<std::size_t>(reset_end - memory), on);
  unsigned const blocks =
      blocks_for<kernel, In, Totals, Heads, Keys, item_count, Op, T, tile_state<T>,
                 tile_state<position>, index_t*>(tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, in, totals,
                       heads, keys, n, op, init, tile_state<T>(values, tiles),
                       tile_state<position>(memory, tiles), d_segments);
}

/// What `look_back_segmented_reduce` needs of memory.
template <class T, class Tuning>
constexpr std::size_t look_back_segmented_reduce_bytes(index_t n) {
  index_t const tile_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  index_t const tiles = ceil_div(n, tile_items);
  return tile_state<position>::bytes(tiles) + tile_state<T>::bytes(tiles);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
