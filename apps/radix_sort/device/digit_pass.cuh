// SPDX-License-Identifier: Apache-2.0
// One pass of the sort on any GPU (Onesweep, Adinets & Merrill 2022): it moves every item to its
// place, the number of items with smaller digits and of earlier items with the same digit. A block
// sorts a tile by one digit in shared memory, stably: ranks come from ballots, which use only
// documented behavior.
#pragma once

#include <type_traits>

#include <apps/radix_sort/device/sort_plan.cuh>
#include <apps/radix_sort/device/warp_match.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sorts tiles by one digit, with all threads of a block. `Tuning`: block_threads and
/// items_per_thread.
template <class Order, class Value, class Tuning>
struct digit_tile {
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<has_values, Value, char>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int warp_items = simt::warp_size * items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int digits_per_thread = (digit_values + block_threads - 1) / block_threads;
  static_assert(block_threads % simt::warp_size == 0);

  /// A block's memory.
  struct shared_storage {
    union {
      key_type key[tile_items];
      value_type value[has_values ? tile_items : 1];
    };
    unsigned count[warps][digit_values];  // then where each warp's items of a digit go
    index_t shift[digit_values];          // from there to their places in memory
    block::scan_storage<unsigned, block_threads> scan;
  };

  /// The part of a tile that a lane holds: one item of each of its warp's rows.
  struct lane_items {
    index_t first;  // of them
    int valid;      // of the tile's
    int place[items_per_thread];

    static __device__ int in_tile(int row) {
      int const thread = static_cast<int>(threadIdx.x);
      return thread / simt::warp_size * warp_items + row * simt::warp_size +
             thread % simt::warp_size;
    }
    __device__ bool has(int row) const { return in_tile(row) < valid; }
  };

  /// The caller's j-th digit.
  static __device__ int digit_of_thread(int j) {
    return static_cast<int>(threadIdx.x) * digits_per_thread + j;
  }

  /// Sorts the tile's keys by a digit in shared memory. As soon as the counts are known, one thread
  /// for each digit calls publish(digit, count). Sets total[j] to the number of items with the
  /// caller's digit j, and `shift` to minus the position of the digit's first item in the sorted
  /// tile.
  template <class Publish>
  static __device__ void sort(shared_storage& shared, Order const& order, digit_place const& place,
                              key_type const* in, lane_items& items,
                              unsigned (&total)[digits_per_thread], Publish publish) {
    for (int i = static_cast<int>(threadIdx.x); i < warps * digit_values; i += block_threads) {
      shared.count[i / digit_values][i % digit_values] = 0;
    }
    simt::sync_block();
    key_type key[items_per_thread] = {};
    load(in, items, key);
    rank(shared, order, place, key, items);
    place_warps(shared, total, publish);
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      if (!items.has(row)) continue;
      auto const digit = place.digit(order, key[row]);
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      items.place[row] += static_cast<int>(shared.count[warp][digit]);
      shared.key[items.place[row]] = key[row];
    }
  }

  /// Stores what `sort` has sorted, each item at its position in the tile plus `shift`, and the
  /// values with the keys; neighbors with the same digit are neighbors in memory, too. Begins and
  /// ends with a barrier.
  static __device__ void store(shared_storage& shared, Order const& order, digit_place const& place,
                               key_type* out, value_type const* values_in, value_type* values_out,
                               lane_items const& items) {
    simt::sync_block();
    index_t target[items_per_thread] = {};
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      int const i = k * block_threads + static_cast<int>(threadIdx.x);
      if (i >= items.valid) continue;
      key_type const key = shared.key[i];
      target[k] = shared.shift[place.digit(order, key)] + i;
      out[target[k]] = key;
    }
    if constexpr (has_values) move_values(shared, values_in, values_out, items, target);
    simt::sync_block();
  }

 private:
  /// item[row] = in[position], or the position itself if `in` is null.
  template <class T>
  static __device__ void load(T const* in, lane_items const& items, T (&item)[items_per_thread]) {
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      if (in == nullptr) {
#pragma unroll
        for (int row = 0; row < items_per_thread; ++row) {
          item[row] = static_cast<T>(items.first + lane_items::in_tile(row));
        }
        return;
      }
    }
    if (items.valid == tile_items) {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        item[row] = in[items.first + lane_items::in_tile(row)];
      }
    } else {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        if (items.has(row)) item[row] = in[items.first + lane_items::in_tile(row)];
      }
    }
  }

  /// place[row] = how many earlier items of the warp have the same digit.
  static __device__ void rank(shared_storage& shared, Order const& order, digit_place const& place,
                              key_type const (&key)[items_per_thread], lane_items& items) {
    unsigned* const counts = shared.count[threadIdx.x / simt::warp_size];
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      unsigned const digit = place.digit(order, key[row]);
      items.place[row] =
          static_cast<int>(device::rank_row<digit_bits>(counts, digit, items.has(row)));
    }
    simt::sync_block();
  }

  /// Turns the warps' counts into places. Ends with a barrier.
  template <class Publish>
  static __device__ void place_warps(shared_storage& shared, unsigned (&total)[digits_per_thread],
                                     Publish publish) {
    unsigned sum = 0;
#pragma unroll
    for (int j = 0; j < digits_per_thread; ++j) {
      int const digit = digit_of_thread(j);
      total[j] = 0;
      if (digit >= digit_values) continue;
#pragma unroll
      for (int w = 0; w < warps; ++w) total[j] += shared.count[w][digit];
      publish(digit, total[j]);
      sum += total[j];
    }
    unsigned begin = block::exclusive_scan(shared.scan, sum, plus<unsigned>{}).prefix;
#pragma unroll
    for (int j = 0; j < digits_per_thread; ++j) {
      int const digit = digit_of_thread(j);
      if (digit >= digit_values) continue;
      shared.shift[digit] = -static_cast<index_t>(begin);
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        unsigned const own = shared.count[w][digit];
        shared.count[w][digit] = begin;
        begin += own;
      }
    }
    simt::sync_block();
  }

  static __device__ void move_values(shared_storage& shared, value_type const* in, value_type* out,
                                     lane_items const& items,
                                     index_t const (&target)[items_per_thread]) {
    value_type value[items_per_thread] = {};
    load(in, items, value);
    simt::sync_block();
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      if (items.has(row)) shared.value[items.place[row]] = value[row];
    }
    simt::sync_block();
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      int const i = k * block_threads + static_cast<int>(threadIdx.x);
      if (i < items.valid) out[target[k]] = shared.value[i];
    }
  }
};

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
