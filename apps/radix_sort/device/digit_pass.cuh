// SPDX-License-Identifier: Apache-2.0
// One pass of the sort on any GPU: moves every item to its place, the number of items with smaller
// digits and of earlier items with the same digit (Onesweep, Adinets & Merrill 2022).
#pragma once

#include <apps/radix_sort/device/digit_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Which pass of a sort a launch makes, and over which portion of the items.
struct pass_launch {
  digit_place place;
  int index;
  index_t portion;
  index_t portions;
};

/// A pass. Each block claims tiles, one after the other, until none is left.
template <class Order, class Value, class Tuning>
struct digit_pass_kernel {
  using key_type = typename Order::key_type;
  using tile_type = digit_tile<Order, Value, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr bool cooperative = false;
  static constexpr int tile_items = tile_type::tile_items;
  static constexpr int digits_per_thread = tile_type::digits_per_thread;
  static constexpr index_t portion_items = Tuning::portion_tiles * tile_items;
  static_assert(portion_items < index_t{1} << 30);

  struct shared_storage {
    typename tile_type::shared_storage tile;
    int claimed;
  };

  __device__ void operator()(shared_storage& shared, item_count length, Order order,
                             sort_buffers<key_type> keys, sort_buffers<Value> values,
                             sort_state state, pass_launch pass) const {
    index_t const n = length.get();
    sort_step const step = state.steps[pass.index];
    if (step.runs == 0) return;
    index_t const turn = step.passes_before * pass.portions + pass.portion;
    digit_table const table = state.table(turn);
    state.table(turn + 1).clear(index_t{blockIdx.x} * block_threads + threadIdx.x,
                                index_t{gridDim.x} * block_threads);
    index_t const begin = pass.portion * portion_items;
    index_t const rest = n - begin < portion_items ? n - begin : portion_items;
    if (rest <= 0) return;
    auto const tiles = static_cast<int>(ceil_div(rest, index_t{tile_items}));
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = table.claim();
      simt::sync_block();
      int const tile = shared.claimed;
      if (tile >= tiles) return;

      // 2 sort it, publishing its counts on the way
      typename tile_type::lane_items items;
      items.first = begin + index_t{tile} * tile_items;
      index_t const left = n - items.first;
      items.valid = left < tile_items ? static_cast<int>(left) : tile_items;
      unsigned total[digits_per_thread];
      tile_type::sort(shared.tile, order, pass.place, device::source_of(step, keys), items, total,
                      [&](int digit, unsigned count) { table.publish(tile, digit, count); });

      // 3 look back for the items before the tile; 4 store
      find_shifts(shared, state, pass, table, tile, tiles, total);
      if constexpr (tile_type::has_values) {
        tile_type::store(shared.tile, order, pass.place, device::target_of(step, keys),
                         device::source_of(step, values), device::target_of(step, values), items);
      } else {
        tile_type::store(shared.tile, order, pass.place, device::target_of(step, keys), nullptr,
                         nullptr, items);
      }
    }
  }

 private:
  /// Adds to each digit's shift the place of the tile's first item of that digit; the last tile
  /// stores the places of the next portion.
  static __device__ void find_shifts(shared_storage& shared, sort_state const& state,
                                     pass_launch const& pass, digit_table const& table, int tile,
                                     int tiles, unsigned const (&total)[digits_per_thread]) {
    auto const* const begins = state.begins(pass.index, pass.portion);
    auto* const next = state.begins(pass.index, pass.portion + 1);
#pragma unroll
    for (int j = 0; j < digits_per_thread; ++j) {
      int const digit = tile_type::digit_of_thread(j);
      if (digit >= digit_values) continue;
      auto const begin =
          static_cast<index_t>(begins[digit]) + table.look_back(tile, digit, total[j]);
      shared.tile.shift[digit] += begin;
      if (tile == tiles - 1) next[digit] = static_cast<unsigned long long>(begin + total[j]);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
