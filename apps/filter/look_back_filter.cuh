// SPDX-License-Identifier: Apache-2.0
// Filter of any items on any GPU: ballots scan a warp's flags, the block scan its warps', look-back
// the tiles'.
#pragma once

#include <iterator>

#include <apps/filter/written.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/device/look_back_scan.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The filter of tiles that look back: each block claims tiles, and writes what `Written` makes of
/// the items kept.
template <class Item, class Written, class Tuning>
struct filter_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int warp_items = simt::warp_size * items_per_thread;
  using output = decltype(Written{}(index_t{}, Item{}));

  struct shared_storage {
    output kept[tile_items];
    block::scan_storage<int, block_threads> scan;
    position carry;
    index_t claimed;
  };

  template <class In, class Out, class Predicate>
  __device__ void operator()(shared_storage& shared, In in, Out out, item_count length,
                             Predicate keep, tile_state<position> state, index_t* count) const {
    index_t const n = length.get();
    index_t const tiles = ceil_div(n, index_t{tile_items});
    int const thread = static_cast<int>(threadIdx.x);
    if (tiles == 0 && count != nullptr && blockIdx.x == 0 && thread == 0) *count = 0;
    for (;;) {
      // 1 claim a tile
      if (thread == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      if (tile >= tiles) return;

      // 2 load: each warp has consecutive rows of 32 items, one item of a row per lane
      index_t const first =
          tile * tile_items + thread / simt::warp_size * warp_items + simt::lane_id();
      Item items[items_per_thread]{};
      if ((tile + 1) * tile_items <= n) {
#pragma unroll
        for (int row = 0; row < items_per_thread; ++row) {
          items[row] = in[first + row * simt::warp_size];
        }
      } else {
#pragma unroll
        for (int row = 0; row < items_per_thread; ++row) {
          index_t const i = first + row * simt::warp_size;
          if (i < n) items[row] = in[i];
        }
      }

      // 3 scan the flags: rows by ballot, warps by the block scan
      bool kept[items_per_thread];
      int rank[items_per_thread];
      int in_warp = 0;
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        kept[row] = first + row * simt::warp_size < n && keep(items[row]);
        warp::binary_scan_result const scanned = warp::binary_scan(kept[row]);
        rank[row] = in_warp + scanned.rank;
        in_warp += scanned.count;
      }
      auto const in_block = block::scan_of_warps(shared.scan, in_warp, plus<int>{});

      // 4 publish the count, look back for what is kept before the tile
      position const carry = enter_tile(state, tile, position{in_block.total}, position{0},
                                        plus_position{}, shared.carry);

      // 5 compact in shared memory, 6 store in order
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        if (!kept[row]) continue;
        shared.kept[in_block.prefix + rank[row]] =
            Written{}(first + row * simt::warp_size, items[row]);
      }
      simt::sync_block();
      for (int i = thread; i < in_block.total; i += block_threads) {
        out[carry.value + i] = shared.kept[i];
      }
      if (tile == tiles - 1 && count != nullptr && thread == 0) {
        *count = carry.value + in_block.total;
      }
      simt::sync_block();
    }
  }
};

/// Launches `filter_kernel` over n items.
template <class Written, class Tuning, class In, class Out, class Predicate>
void look_back_filter(workspace& ws, In in, Out out, item_count n, Predicate keep,
                      index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = filter_kernel<item, Written, Tuning>;
  using state = tile_state<position>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const memory = ws.reserve(state::bytes(tiles));
  simt::fill_async(memory, 0, state::reset_bytes(tiles), ws.stream());
  unsigned const blocks = blocks_for<kernel, In, Out, item_count, Predicate, state, index_t*>(
      tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()}, in,
                       out, n, keep, state(memory, tiles), d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
