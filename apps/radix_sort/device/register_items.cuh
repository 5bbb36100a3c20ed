// SPDX-License-Identifier: Apache-2.0
// What the lanes of a sort in one launch hold: the keys of a tile, in registers.
#pragma once

#include <type_traits>

#include <apps/radix_sort/device/sort_plan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The part of a `register_tile` that a lane holds: one key of each of its warp's first rows.
template <class Order, class Value, class Tuning>
struct register_items {
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<has_values, Value, char>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int max_rows = Tuning::items_per_thread;

  unsigned first;  // of the tile, among all
  unsigned valid;  // of the tile
  unsigned begin;  // in the tile, of the caller's
  int rows;        // of each warp
  int own;         // of them, with a key of the caller's
  key_type key[max_rows] = {};

  /// The items of the block's tile, of n items in tiles of `rows_of_warp` rows to a warp.
  __device__ register_items(unsigned n, int rows_of_warp) : rows(rows_of_warp) {
    unsigned const tile = static_cast<unsigned>(rows) * block_threads;
    first = blockIdx.x * tile;
    valid = first >= n ? 0 : n - first < tile ? n - first : tile;
    auto const warp = threadIdx.x / simt::warp_size;
    begin = warp * static_cast<unsigned>(rows) * simt::warp_size + threadIdx.x % simt::warp_size;
    unsigned const left = begin < valid ? valid - begin : 0;
    auto const some = static_cast<int>((left + simt::warp_size - 1) / simt::warp_size);
    own = some < rows ? some : rows;
  }

  __device__ unsigned in_tile(int row) const {
    return begin + static_cast<unsigned>(row) * simt::warp_size;
  }

  /// use(row) for all rows of the warp, and a few more.
  template <class Use>
  __device__ __forceinline__ void each_row(Use use) const {
#pragma unroll
    for (int row = 0; row < max_rows; ++row) {
      // The check saves time: a block with few rows need not wait for the code of the others.
      if (row % 4 == 0 && row >= rows) break;
      use(row);
    }
  }

  /// use(row) for each row in which the caller has a key.
  template <class Use>
  __device__ __forceinline__ void each(Use use) const {
    each_row([&](int row) {
      if (row < own) use(row);
    });
  }

  /// Loads the keys of the tile.
  __device__ __forceinline__ void load(key_type const* tile) {
    each([&](int row) { key[row] = tile[in_tile(row)]; });
  }
  /// Stores them.
  __device__ __forceinline__ void store(key_type* tile) const {
    each([&](int row) { tile[in_tile(row)] = key[row]; });
  }

  /// Bit p is set if not all of the caller's keys have the same digit `digits` p as `other`.
  __device__ __forceinline__ unsigned unlike(Order const& order, digit_list const& digits,
                                             key_type const& other) const {
    using word = typename Order::word_type;
    word differing[Order::words] = {};
    each([&](int row) {
#pragma unroll
      for (int w = 0; w < Order::words; ++w) {
        auto const here = order.word(key[row], w) ^ order.word(other, w);
        differing[w] = static_cast<word>(differing[w] | here);
      }
    });
    unsigned found = 0;
    for (int p = 0; p < digits.count; ++p) {
#pragma unroll
      for (int w = 0; w < Order::words; ++w) {
        digit_place const place = digits.place[p];
        if (w == place.word && place.bits_of(differing[w]) != 0) found |= 1u << p;
      }
    }
    return found;
  }

  /// staged[i] = the tile's value i; its position among all, where values are null.
  __device__ __forceinline__ void stage(value_type const* values, value_type* staged) const {
    if constexpr (has_values && std::is_integral_v<value_type> && sizeof(value_type) >= 4) {
      if (values == nullptr) {
        return each(
            [&](int row) { staged[in_tile(row)] = static_cast<value_type>(first + in_tile(row)); });
      }
    }
    if constexpr (has_values) {
      value_type value[max_rows];
      each([&](int row) { value[row] = values[first + in_tile(row)]; });
      each([&](int row) { staged[in_tile(row)] = value[row]; });
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
