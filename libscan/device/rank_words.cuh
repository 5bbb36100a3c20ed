// SPDX-License-Identifier: Apache-2.0
// The ranks of 1024 items, of which each lane of a warp holds 32 as bits of a word.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

namespace detail {

/// See `rank_words`.
template <scan_kind Kind, class Rank>
struct word_ranks {
  static constexpr int word_items = 32;
  static constexpr int warp_items = simt::warp_size * word_items;
  static constexpr int width = static_cast<int>(16 / sizeof(Rank));  // ranks in one access

  /// Writes the ranks of the first `valid` of 1024 items, a few rows at a time.
  static __device__ void store(Rank* ranks, int valid, unsigned word, index_t before) {
    constexpr int row_items = simt::warp_size * width;
    constexpr int rows = 4;
    auto const first = static_cast<Rank>(before);
    int const mine = simt::lane_id() * width;
    int const left = valid - simt::lane_id() * width;
    bool const whole = valid >= warp_items && warp::whole_rows<width>(ranks);
#pragma unroll
    for (int at = 0; at < warp_items; at += rows * row_items) {
      Rank row[rows][width];
#pragma unroll
      for (int r = 0; r < rows; ++r) rank_row(at / row_items + r, word, first, row[r]);
      if (whole) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          warp::store_whole_row(ranks, mine + at + r * row_items, row[r]);
        }
      } else {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          int const i = at + r * row_items;
          warp::store_row(ranks, mine + i, left - i, row[r]);
        }
      }
    }
  }

  /// The ranks that the caller stores in row r. Lanes take words from one another, so that each
  /// store of the warp is one stretch of memory.
  static __device__ void rank_row(int r, unsigned word, Rank first, Rank (&row)[width]) {
    constexpr int lanes_per_word = word_items / width;
    constexpr int words_per_row = simt::warp_size / lanes_per_word;
    int const owner = r * words_per_row + simt::lane_id() / lanes_per_word;
    int const shift = simt::lane_id() % lanes_per_word * width;
    unsigned const bits = simt::shfl(simt::full_warp, word, owner);
    Rank rank = simt::shfl(simt::full_warp, first, owner);
    rank += static_cast<Rank>(simt::popc(bits & ((1u << shift) - 1)));
#pragma unroll
    for (int j = 0; j < width; ++j) {
      Rank const next = rank + static_cast<Rank>(bits >> (shift + j) & 1u);
      row[j] = Kind == scan_kind::inclusive ? next : rank;
      rank = next;
    }
  }
};

}  // namespace detail

/// ranks[i] = how many items before item i, or up to it, are true, for the first `valid` of the
/// 1024 items of a warp. `word`: items 32 lane ... 32 lane + 31; `before`: how many are true before
/// those. All lanes of the warp call.
template <scan_kind Kind, class Rank>
__device__ void rank_words(Rank* ranks, int valid, unsigned word, index_t before) {
  detail::word_ranks<Kind, Rank>::store(ranks, valid, word, before);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
