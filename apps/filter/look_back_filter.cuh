// SPDX-License-Identifier: Apache-2.0
// Filter of any items on any GPU: blocks claim tiles, and look-back gives each the number of items
// kept before it. In place: a tile writes only up to its own end, once all tiles up to it have been
// read.
#pragma once

#include <iterator>

#include <apps/filter/claimed_tiles.cuh>
#include <apps/filter/filter_tile.cuh>
#include <libscan/core/tuning.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The filter of tiles that look back: each block claims tiles.
template <class Item, class Rule, class Outputs, class Tuning>
struct filter_kernel {
  using tile_type = filter_tile<Item, Rule, Outputs, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int tile_items = tile_type::tile_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    position carry;
    index_t claimed;
  };

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, Outputs out, item_count length,
                             Rule rule, tile_state<position> state, index_t* count) const {
    constexpr bool overwrites = can_overwrite<In, typename Outputs::items_type>;
    index_t const n = length.get();
    if (n == 0 && count != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *count = 0;
    // 1 claim a tile
    device::for_claimed_tiles<tile_items>(
        state, n, shared.claimed, [&](claimed_tile const& claimed) {
          // 2 load, 3 count what it keeps
          tile_type tile(claimed.base, claimed.valid);
          int const kept = tile.ask(shared.tile, in, rule);
          // 4 publish the count, look back for the number kept before the tile
          position const carry =
              device::enter_tile(state, claimed.index, position{kept}, position{0}, plus_position{},
                                 shared.carry, overwrites && out.in_place);
          // 5 compact in shared memory; 6 store in order
          tile.compact(shared.tile);
          simt::sync_block();
          // The next tile may still read this one's last item. In place this tile writes to it only
          // if it and all earlier tiles keep all their items.
          bool const stay = Rule::looks_back && overwrites && out.in_place &&
                            carry.value == claimed.base && kept == claimed.valid;
          tile.store(shared.tile, out, device::beginning(out.rejected), carry.value, stay);
          if (claimed.last && count != nullptr && threadIdx.x == 0) *count = carry.value + kept;
        });
  }
};

/// Launches `filter_kernel` over n items. `memory`: `tile_state<position>::bytes`.
template <class Tuning, class In, class Outputs, class Rule>
void look_back_filter(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                      index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = filter_kernel<item, Rule, Outputs, Tuning>;
  device::launch_claiming<kernel, position>(ws, memory, in, out, n, rule, d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
