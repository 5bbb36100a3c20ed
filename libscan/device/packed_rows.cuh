// SPDX-License-Identifier: Apache-2.0
// A warp's part of a tile of 1- or 2-byte integers that are summed, four or two of them in a
// register: dot products with weights of 0 and 1 sum them, and give the prefixes within a word.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Whether `packed_rows` can scan such items into such results.
template <class Item, class Op, class Out, int Width>
inline constexpr bool packs = false;
template <class Item, class T, class Result, int Width>
inline constexpr bool packs<Item, plus<T>, Result*, Width> =
    std::is_integral_v<Item>&& std::is_integral_v<T>&& std::is_integral_v<Result> &&
    !std::is_same_v<Result, bool> && sizeof(Item) <= 2 && sizeof(Item) <= sizeof(Result) &&
    sizeof(Result) <= sizeof(T) && sizeof(T) <= 4 && Width * sizeof(Item) % 4 == 0;

/// The calling lane's share of `items` consecutive integers, as in `warp_rows`. Sums are kept in 32
/// bits, which agree with those in T modulo its size. All lanes of the warp call each function.
template <class Item, class T, class Result, int Rows, int Width>
class packed_rows {
  static constexpr int per_word = 4 / static_cast<int>(sizeof(Item));
  static constexpr int words = Width / per_word;
  static constexpr int results_per_word = 4 / static_cast<int>(sizeof(Result));
  static constexpr int result_words = Width / results_per_word;

 public:
  static constexpr int row_items = simt::warp_size * Width;
  static constexpr int items = Rows * row_items;

  /// Loads the items from `source`; zeros from `valid` on.
  __device__ void load(Item const* source, int valid, plus<T> = {}) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(source) % (sizeof(Item) * Width) == 0;
    if (valid < items || !aligned) {
      load_guarded(source, valid);
      return;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      auto const* const row = reinterpret_cast<unsigned const*>(source + position(r, 0));
      auto const loaded = simt::load_vector<words>(row);
#pragma unroll
      for (int w = 0; w < words; ++w) word_[r][w] = loaded.item[w];
    }
  }

  /// Turns the items into their prefixes, with `before` before the first; returns `before` plus all
  /// items.
  template <scan_kind Kind>
  __device__ T scan(T before, plus<T> = {}) {
    auto running = static_cast<unsigned>(before);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      unsigned sum = 0;
#pragma unroll
      for (int w = 0; w < words; ++w) sum = simt::dp4a<Item>(word_[r][w], all, sum);
      auto const row = warp::exclusive_scan(sum, plus<unsigned>{});
      unsigned prefix = running + row.prefix;
      running += row.total;
#pragma unroll
      for (int w = 0; w < words; ++w) prefix = scan_word<Kind>(r, w, prefix);
    }
    return static_cast<T>(running);
  }

  /// The sum of the first `valid` of `count` items; in lane 0.
  static __device__ T sum(Item const* source, int count, int valid, plus<T> = {}) {
    packed_rows part;
    unsigned lane = 0;
    for (int first = 0; first < count; first += items) {
      part.load(source + first, valid - first);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int w = 0; w < words; ++w) lane = simt::dp4a<Item>(part.word_[r][w], all, lane);
      }
    }
    return static_cast<T>(warp::combine(lane, plus<unsigned>{}));
  }

  /// target[i] = item i for the first `valid` items; writes nothing beyond.
  __device__ void store(Result* target, int valid) const {
    constexpr auto alignment = sizeof(Result) * Width;
    bool const aligned = reinterpret_cast<std::uintptr_t>(target) % alignment == 0;
    if (valid < items || !aligned) {
      store_guarded(target, valid);
      return;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      simt::vector<unsigned, result_words> row;
#pragma unroll
      for (int w = 0; w < result_words; ++w) row.item[w] = result_[r][w];
      simt::store_vector<result_words>(reinterpret_cast<unsigned*>(target + position(r, 0)), row);
    }
  }

 private:
  // A weight of 1 for each item of a word.
  static constexpr unsigned all = sizeof(Item) == 1 ? 0x01010101u : 0x0101u;

  static __device__ int position(int row, int j) {
    return row * row_items + simt::lane_id() * Width + j;
  }

  __device__ void load_guarded(Item const* source, int valid) {
    using bits = std::conditional_t<sizeof(Item) == 1, std::uint8_t, std::uint16_t>;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        unsigned& word = word_[r][j / per_word];
        if (j % per_word == 0) word = 0;
        unsigned item = 0;
        if (position(r, j) < valid) item = static_cast<bits>(source[position(r, j)]);
        word |= item << (j % per_word * 8 * static_cast<int>(sizeof(Item)));
      }
    }
  }

  __device__ void store_guarded(Result* target, int valid) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        unsigned const bits = result_[r][j / results_per_word];
        auto const result = bits >> (j % results_per_word * 8 * static_cast<int>(sizeof(Result)));
        if (position(r, j) < valid) target[position(r, j)] = static_cast<Result>(result);
      }
    }
  }

  /// The prefixes within one word, after `prefix`; returns the next prefix.
  template <scan_kind Kind>
  __device__ unsigned scan_word(int r, int w, unsigned prefix) {
    unsigned const word = word_[r][w];
    unsigned value[per_word + 1] = {prefix};
#pragma unroll
    for (int j = 1; j <= per_word; ++j) {
      value[j] = simt::dp4a<Item>(word, all >> (8 * (per_word - j)), prefix);
    }
    constexpr int first = Kind == scan_kind::inclusive ? 1 : 0;
#pragma unroll
    for (int j = 0; j < per_word; j += results_per_word) {
      put(result_[r][(w * per_word + j) / results_per_word], value + first + j);
    }
    return value[per_word];
  }

  /// Makes a word of results.
  static __device__ void put(unsigned& word, unsigned const* value) {
    if constexpr (sizeof(Result) == 4) {
      word = value[0];
    } else if constexpr (sizeof(Result) == 2) {
      word = simt::byte_perm(value[0], value[1], 0x5410);
    } else {
      word = simt::byte_perm(simt::byte_perm(value[0], value[1], 0x0040),
                             simt::byte_perm(value[2], value[3], 0x0040), 0x5410);
    }
  }

  unsigned word_[Rows][words];
  unsigned result_[Rows][result_words];
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
