// SPDX-License-Identifier: Apache-2.0
// How the filters of any GPU process their tiles: each block claims one after the other, by an
// atomic ticket, so that a tile waits only for tiles of running blocks.
#pragma once

#include <cstddef>

#include <libscan/device/look_back_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile that a block has claimed: items base, base + 1, ... of the input.
struct claimed_tile {
  index_t index;
  index_t base;
  int valid;  // items
  bool last;
};

/// Calls work(tile) for each tile of n items that this block claims, until none is left. All
/// threads of the block call; there is a barrier after each tile, so work may reuse shared memory.
template <int TileItems, class T, class Work>
__device__ __forceinline__ void for_claimed_tiles(tile_state<T> const& state, index_t n,
                                                  index_t& shared_claimed, Work work) {
  index_t const tiles = ceil_div(n, index_t{TileItems});
  for (;;) {
    if (threadIdx.x == 0) shared_claimed = state.claim();
    simt::sync_block();
    index_t const tile = shared_claimed;
    if (tile >= tiles) return;
    index_t const base = tile * TileItems;
    int const valid = static_cast<int>(n - base < TileItems ? n - base : TileItems);
    work(claimed_tile{tile, base, valid, tile == tiles - 1});
    simt::sync_block();
  }
}

/// Launches Kernel over n items with as many blocks as the GPU holds at once. `memory`:
/// `tile_state<T>::bytes`; reset here.
template <class Kernel, class T, class In, class Outputs, class Rule>
void launch_claiming(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                     index_t* d_count) {
  using state = tile_state<T>;
  index_t const tiles = ceil_div(n.at_most(), index_t{Kernel::tile_items});
  simt::fill_async(memory, 0, state::reset_bytes(tiles), ws.stream());
  unsigned const blocks =
      device::blocks_for<Kernel, In, Outputs, item_count, Rule, state, index_t*>(
          tiles, Kernel::block_threads);
  simt::launch<Kernel>({.blocks = blocks, .threads = Kernel::block_threads, .on = ws.stream()}, in,
                       out, n, rule, state(memory, tiles), d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
