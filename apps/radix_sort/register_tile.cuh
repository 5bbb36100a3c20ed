// SPDX-License-Identifier: Apache-2.0
// The tile of sorts in one launch: the items that the registers of a block hold are sorted by one
// digit, stably, into shared memory.
#pragma once

#include <type_traits>

#include <apps/radix_sort/sort_plan.cuh>
#include <apps/radix_sort/warp_match.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Where values come from and where they end; nowhere, if nothing travels with the keys.
template <class Value>
__device__ Value const* input_of(sort_buffers<Value> const& values) {
  return values.in;
}
template <class Value>
__device__ Value* output_of(sort_buffers<Value> const& values) {
  return values.out;
}
inline __device__ char const* input_of(sort_buffers<void> const&) { return nullptr; }
inline __device__ char* output_of(sort_buffers<void> const&) { return nullptr; }

/// Whether an order may be asked about any bits, also of keys that are none: so that of numbers.
template <class Order>
inline constexpr bool orders_any_key = false;
template <class Key>
inline constexpr bool orders_any_key<sort_order<Key, number_order<Key>>> = true;

/// A tile: each warp holds up to `items_per_thread` rows of consecutive items.
template <class Order, class Value, class Tuning>
struct register_tile {
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<has_values, Value, char>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int most_rows = Tuning::items_per_thread;
  static constexpr int rows_at_once = 4;  // that are under way together
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int tile_items = block_threads * most_rows;
  static_assert(block_threads >= digit_values);
  // Whether keys can show that a tile was sorted stably.
  static constexpr bool may_witness = equal_is_identical<Order> && !has_values;

  struct shared_storage {
    key_type key[tile_items];
    value_type value[has_values ? tile_items : 1];
    unsigned count[warps][digit_values];  // then where each warp's items of a digit go
    block::scan_storage<unsigned, block_threads> scan;
  };

  /// The part of a tile that a lane holds: one item of each of its warp's rows.
  struct lane_items {
    unsigned first;  // of the tile
    unsigned valid;  // of the tile's
    int rows;
    key_type key[most_rows] = {};
    value_type value[has_values ? most_rows : 1] = {};

    /// Of the tile that comes to the block, of n items in tiles of so many rows to a warp.
    __device__ lane_items(unsigned n, int rows_of_warp) : rows(rows_of_warp) {
      unsigned const tile = static_cast<unsigned>(rows) * block_threads;
      first = blockIdx.x * tile;
      valid = first >= n ? 0 : n - first < tile ? n - first : tile;
    }

    __device__ unsigned in_tile(int row) const {
      auto const warp = threadIdx.x / simt::warp_size;
      return (warp * static_cast<unsigned>(rows) + static_cast<unsigned>(row)) * simt::warp_size +
             threadIdx.x % simt::warp_size;
    }
    __device__ bool has(int row) const { return row < rows && in_tile(row) < valid; }

    /// Whether all rows are there, some at once after the others: then nobody need ask for each,
    /// and their accesses are under way together.
    __device__ bool whole() const {
      return rows % rows_at_once == 0 && valid == static_cast<unsigned>(rows) * block_threads;
    }

    /// use(row) for each in which the caller has an item.
    template <class Use>
    __device__ __forceinline__ void each(Use use) const {
      if (whole()) {
        some_rows([&](int row) { use(row); });
      } else {
        some_rows([&](int row) {
          if (has(row)) use(row);
        });
      }
    }

    /// use(row) for the rows of the warp, and for none or a few more.
    template <class Use>
    __device__ __forceinline__ void some_rows(Use use) const {
#pragma unroll
      for (int row = 0; row < most_rows; ++row) {
        // Now and then, so that a block with few rows need not wait for the code of the others.
        if (row % rows_at_once == 0 && row >= rows) break;
        use(row);
      }
    }

    /// Loads the tile that begins at item `from`; values are their positions if those are null.
    __device__ void load(key_type const* keys, value_type const* values, unsigned from) {
      each([&](int row) { key[row] = keys[from + in_tile(row)]; });
      if constexpr (has_values && std::is_integral_v<value_type> && sizeof(value_type) >= 4) {
        if (values == nullptr) {
          return each([&](int row) { value[row] = static_cast<value_type>(from + in_tile(row)); });
        }
      }
      if constexpr (has_values) each([&](int row) { value[row] = values[from + in_tile(row)]; });
    }

    /// Stores it, to where it is among all items.
    __device__ void store(key_type* keys, value_type* values) const {
      each([&](int row) { keys[first + in_tile(row)] = key[row]; });
      if constexpr (has_values) each([&](int row) { values[first + in_tile(row)] = value[row]; });
    }
  };

  /// Sorts the tile by one digit. All threads call publish(total) once on the way, the first with
  /// how many items have the digit that is the thread's number. Returns where the items of the
  /// caller's digit begin in the tile. Counters are quicker than ballots, but if the keys, where
  /// they are `witness`, show that their order was not that of the lanes, ballots it is. Ends with
  /// a barrier.
  template <class Publish>
  static __device__ unsigned sort(shared_storage& shared, Order const& order, bool witness,
                                  digit_place place, lane_items const& items, Publish publish) {
    if constexpr (may_witness) {
      if (witness) {
        unsigned const begin = sort_by<true>(shared, order, place, items, publish);
        if (ascends(shared, order, place, items.valid)) return begin;
        return sort_by<false>(shared, order, place, items, [](unsigned) {});
      }
    }
    return sort_by<false>(shared, order, place, items, publish);
  }

  /// `sort` by counters, whose order `ascends` shows, or by ballots.
  template <bool ByCounters, class Publish>
  static __device__ unsigned sort_by(shared_storage& shared, Order const& order, digit_place place,
                                     lane_items const& items, Publish publish) {
    auto const thread = threadIdx.x;
    unsigned* const counts = shared.count[thread / simt::warp_size];
    clear_own(counts);
    unsigned rank[most_rows] = {};
    auto const rank_in = [&](int row, bool valid) {
      unsigned digit = 0;
      if (orders_any_key<Order> || valid) digit = place.digit(order, items.key[row]);
      if constexpr (ByCounters) {
        rank[row] = take_place<Tuning::ranks>(counts, digit, valid);
      } else {
        rank[row] = rank_row<digit_bits>(counts, digit, valid);
      }
    };
    if (items.whole()) {
      items.some_rows([&](int row) { rank_in(row, true); });
    } else {
      items.some_rows([&](int row) {
        if (row < items.rows) rank_in(row, items.has(row));
      });
    }
    simt::sync_block();
    unsigned total = 0;
    if (thread < digit_values) {
#pragma unroll 8
      for (int w = 0; w < warps; ++w) total += shared.count[w][thread];
    }
    publish(total);
    unsigned const begin = block::exclusive_scan(shared.scan, total, plus<unsigned>{}).prefix;
    if (thread < digit_values) {
      unsigned next = begin;
#pragma unroll 8
      for (int w = 0; w < warps; ++w) {
        unsigned const own = shared.count[w][thread];
        shared.count[w][thread] = next;
        next += own;
      }
    }
    simt::sync_block();
    items.each([&](int row) { rank[row] += counts[place.digit(order, items.key[row])]; });
    items.each([&](int row) {
      shared.key[rank[row]] = items.key[row];
      if constexpr (has_values) shared.value[rank[row]] = items.value[row];
    });
    simt::sync_block();
    return begin;
  }

  /// Whether the tile's keys ascend as far as they have been sorted. Ends with a barrier.
  static __device__ bool ascends(shared_storage& shared, Order const& order, digit_place place,
                                 unsigned valid) {
    unsigned bad = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < valid; i += block_threads) {
      unsigned const next = i + 1 < valid ? i + 1 : i;
      bad |= static_cast<unsigned>(sorted_bits(order, place, shared.key[i]) >
                                   sorted_bits(order, place, shared.key[next]));
    }
    return !simt::sync_block_or(bad != 0);
  }

  /// put(target, key, i) for each item i of the sorted tile, which goes to `target` among all; of
  /// each digit, `shift` is the distance modulo 2^32.
  template <class Put>
  static __device__ __forceinline__ void each_sorted(shared_storage const& shared,
                                                     Order const& order, digit_place place,
                                                     unsigned const (&shift)[digit_values],
                                                     unsigned valid, Put put) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < valid; i += block_threads) {
      key_type const key = shared.key[i];
      put(shift[place.digit(order, key)] + i, key, i);
    }
  }

  /// Stores the sorted tile.
  static __device__ void store_sorted(shared_storage const& shared, Order const& order,
                                      digit_place place, unsigned const (&shift)[digit_values],
                                      unsigned valid, key_type* keys, value_type* values) {
    each_sorted(shared, order, place, shift, valid,
                [&](unsigned target, key_type const& key, unsigned i) {
                  keys[target] = key;
                  if constexpr (has_values) values[target] = shared.value[i];
                });
  }

 private:
  /// Clears the counts of the caller's warp, which alone has read them since the last barrier.
  static __device__ void clear_own(unsigned* counts) {
    simt::sync_warp();
#pragma unroll
    for (int d = simt::lane_id(); d < digit_values; d += simt::warp_size) counts[d] = 0;
    simt::sync_warp();
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
