// SPDX-License-Identifier: Apache-2.0
// The ranks of a block's items, which are bits of words in shared memory. Lanes write a few
// consecutive ranks each, in the order of lanes and warps, so a block writes one stretch of memory
// from front to back.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A word of 32 items as bits, and the number of true items before it.
template <class Rank>
struct ranked_word {
  Rank before;
  unsigned bits;
};

namespace detail {

/// row[j] = rank + the number of set bits among the lowest j, or j + 1 if inclusive.
template <scan_kind Kind, class Rank, int Width>
__device__ __forceinline__ void rank_bits(Rank rank, unsigned bits, Rank (&row)[Width]) {
  constexpr bool inclusive = Kind == scan_kind::inclusive;
  if constexpr (Width == 4) {
    // Each of four bits in a byte of its own; one instruction then sums the first few.
    unsigned const ones = (bits & 15u) * 0x00204081u & 0x01010101u;
    auto const first = static_cast<unsigned>(rank);
    constexpr unsigned below[5] = {0, 0x01, 0x0101, 0x010101, 0x01010101};
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      row[j] =
          static_cast<Rank>(simt::dp4a<std::uint8_t>(ones, below[inclusive ? j + 1 : j], first));
    }
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      Rank const next = rank + static_cast<Rank>(bits >> j & 1u);
      row[j] = inclusive ? next : rank;
      rank = next;
    }
  }
}

}  // namespace detail

/// ranks[i] = the number of true items before item i, or up to it, for the first `valid` of 32 *
/// Words items. `words`: in shared memory, written before a `sync_block`. By the Warps warps of a
/// block, each with its number.
template <int Warps, scan_kind Kind, class Rank, int Words>
__device__ __forceinline__ void rank_words(ranked_word<Rank> const (&words)[Words], int warp,
                                           Rank* ranks, int valid) {
  constexpr int width = static_cast<int>(16 / sizeof(Rank));  // ranks in one access
  constexpr int row_items = simt::warp_size * width;
  constexpr int lanes_per_word = 32 / width;
  constexpr int rows = Words * 32 / row_items / Warps, rows_at_once = rows < 8 ? rows : 8;
  static_assert(rows * row_items * Warps == Words * 32 && rows % rows_at_once == 0);
  int const shift = simt::lane_id() % lanes_per_word * width;
  int const mine = simt::lane_id() * width;
  unsigned const below = (1u << shift) - 1;
  bool const whole = valid >= Words * 32 && warp::whole_rows<width>(ranks);
  auto const rank_row = [&](int i, Rank(&row)[width]) {
    ranked_word<Rank> const word = words[(i + mine) / 32];
    Rank const before = word.before + static_cast<Rank>(simt::popc(word.bits & below));
    detail::rank_bits<Kind>(before, word.bits >> shift, row);
  };
#pragma unroll 1
  for (int first = warp; first < rows * Warps; first += rows_at_once * Warps) {
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      int const i = (first + r * Warps) * row_items;
      Rank row[width];
      rank_row(i, row);
      if (whole) {
        simt::vector<Rank, width> together;
#pragma unroll
        for (int j = 0; j < width; ++j) together.item[j] = row[j];
        simt::stream_vector<width>(ranks + i + mine, together);
      } else {
        warp::store_row(ranks, i + mine, valid - i - mine, row);
      }
    }
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
