// SPDX-License-Identifier: Apache-2.0
// A tile of items that a block sorts by one digit in shared memory, stably: ranks come from
// ballots, which use only documented behavior.
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

  /// Of a block.
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
