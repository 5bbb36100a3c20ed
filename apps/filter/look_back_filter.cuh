// SPDX-License-Identifier: Apache-2.0
// Filter of any items on any GPU: ballots scan a warp's flags, the block scan its warps', look-back
// the tiles'.
#pragma once

#include <cstdint>
#include <iterator>

#include <apps/filter/claimed_tiles.cuh>
#include <apps/filter/outputs.cuh>
#include <apps/filter/rules.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The filter of tiles that look back: each block claims tiles.
template <class Item, class Rule, class Outputs, class Tuning>
struct filter_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int warp_items = simt::warp_size * items_per_thread;
  static constexpr bool wants_items = wanted<typename Outputs::items_type>;
  static constexpr bool wants_positions = wanted<typename Outputs::positions_type>;
  static constexpr bool wants_rejected = wanted<typename Outputs::rejected_type>;
  // A mask says which items are needed; else all are.
  static constexpr bool reads_all = Rule::asks_items || wants_rejected;
  static_assert(tile_items <= 1 << 16 && items_per_thread <= 32);

  struct shared_storage {
    Item item[wants_items ? tile_items : 1];  // what is kept, then what is not
    std::uint16_t offset[wants_positions ? tile_items : 1];
    block::scan_storage<int, block_threads> scan;
    position carry;
    index_t claimed;
  };

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, Outputs out, item_count length,
                             Rule rule, tile_state<position> state, index_t* count) const {
    index_t const n = length.get();
    if (n == 0 && count != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *count = 0;
    // 1 claim a tile
    for_claimed_tiles<tile_items>(state, n, shared.claimed, [&](claimed_tile const& tile) {
      // 2 load: each warp has consecutive rows of 32 items, one item of a row per lane
      int const thread = static_cast<int>(threadIdx.x);
      int const local = thread / simt::warp_size * warp_items + simt::lane_id();
      index_t const first = tile.base + local;
      Item items[items_per_thread]{};
      if (reads_all) load(in, first, tile.valid - local, items);

      // 3 count what each warp keeps
      unsigned kept = 0;  // bit by row
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        index_t const i = first + row * simt::warp_size;
        if (row * simt::warp_size < tile.valid - local && rule(in, i, items[row])) {
          kept |= 1u << row;
        }
      }
      if constexpr (wants_items && !reads_all) {
        // All under way together, once all of the mask is there.
#pragma unroll
        for (int row = 0; row < items_per_thread; ++row) {
          if ((kept >> row & 1u) != 0) items[row] = in[first + row * simt::warp_size];
        }
      }
      auto const in_warp =
          simt::reduce_add(simt::full_warp, static_cast<unsigned>(simt::popc(kept)));
      auto const in_block =
          block::scan_of_warps(shared.scan, static_cast<int>(in_warp), plus<int>{});

      // 4 publish the count, look back for what is kept before the tile
      position const carry = enter_tile(state, tile.index, position{in_block.total}, position{0},
                                        plus_position{}, shared.carry);

      // 5 compact in shared memory, by the ballots of each row; 6 store in order
      int place = in_block.prefix;
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        bool const keeps = (kept >> row & 1u) != 0;
        warp::binary_scan_result const scanned = warp::binary_scan(keeps);
        int const rank = place + scanned.rank;
        int const at = local + row * simt::warp_size;
        if (keeps) {
          if constexpr (wants_items) shared.item[rank] = items[row];
          if constexpr (wants_positions) shared.offset[rank] = static_cast<std::uint16_t>(at);
        } else if (wants_rejected && at < tile.valid) {
          shared.item[in_block.total + at - rank] = items[row];
        }
        place += scanned.count;
      }
      simt::sync_block();
      store(shared, out, tile.base, tile.valid, carry.value, in_block.total);
      if (tile.last && count != nullptr && thread == 0) *count = carry.value + in_block.total;
    });
  }

  /// items[row] = in[first + 32 row], for the rows of which `left` items are.
  template <class In>
  static __device__ void load(In in, index_t first, int left, Item (&items)[items_per_thread]) {
    if (left > (items_per_thread - 1) * simt::warp_size) {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        items[row] = in[first + row * simt::warp_size];
      }
    } else {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        if (row * simt::warp_size < left) items[row] = in[first + row * simt::warp_size];
      }
    }
  }

  /// Writes what a tile keeps, `kept` items of `valid`, and what it rejects.
  static __device__ void store(shared_storage const& shared, Outputs const& out, index_t base,
                               int valid, index_t before, int kept) {
    int const thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < kept; i += block_threads) {
      if constexpr (wants_items) out.items[before + i] = shared.item[i];
      if constexpr (wants_positions) out.positions[before + i] = base + shared.offset[i];
    }
    if constexpr (wants_rejected) {
      auto const rejected = beginning(out.rejected) + (base - before);
      for (int i = kept + thread; i < valid; i += block_threads) {
        rejected[i - kept] = shared.item[i];
      }
    }
  }
};

/// Launches `filter_kernel` over n items. `memory`: of `tile_state<position>::bytes`.
template <class Tuning, class In, class Outputs, class Rule>
void look_back_filter(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                      index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = filter_kernel<item, Rule, Outputs, Tuning>;
  launch_claiming<kernel, position>(ws, memory, in, out, n, rule, d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
