// SPDX-License-Identifier: Apache-2.0
// The bits of a mask in a warp, in rows of 1024 items: every lane has 32 of a row in a word. And
// the ranks of a block's items, which are bits of words in shared memory: lanes write a few
// consecutive ranks each, so a block writes one stretch of memory from front to back.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/device/segment_readers.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Items of a word.
inline constexpr int word_items = 32;
/// Items of a row.
inline constexpr int word_row_items = simt::warp_size * word_items;

/// word[r] = items base + 1024 r + 32 lane ... + 31 as bits, for the first `valid` items from
/// `base` on, a multiple of 1024; 0 beyond. All lanes of a warp call.
template <int Rows>
__device__ __forceinline__ void load_words(bit_mask mask, index_t base, index_t valid,
                                           unsigned (&word)[Rows]) {
  int const first = simt::lane_id() * word_items;
  if (valid >= Rows * word_row_items) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      word[r] = device::whole_bits<word_items>(mask, base + r * word_row_items + first);
    }
  } else {
    int const count = static_cast<int>(valid) - first;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      int const i = r * word_row_items;
      word[r] = device::bits<word_items>(mask, base + i + first, count - i);
    }
  }
}

/// Bytes are read 16 to a lane; two lanes' bits make a word.
template <int Rows>
__device__ __forceinline__ void load_words(byte_mask mask, index_t base, index_t valid,
                                           unsigned (&word)[Rows]) {
  constexpr int step = 16, half_row = simt::warp_size * step;
  unsigned half[2 * Rows];
  int const first = simt::lane_id() * step;
  if (valid >= Rows * word_row_items && device::whole_rows<step>(mask)) {
#pragma unroll
    for (int h = 0; h < 2 * Rows; ++h)
      half[h] = device::whole_bits<step>(mask, base + h * half_row + first);
  } else {
    index_t const max_items = Rows * word_row_items;
    int const count = static_cast<int>(valid < max_items ? valid : max_items) - first;
#pragma unroll
    for (int h = 0; h < 2 * Rows; ++h) {
      int const i = h * half_row;
      half[h] = device::bits<step>(mask, base + i + first, count - i);
    }
  }
  int const source = 2 * simt::lane_id() % simt::warp_size;
  bool const low = simt::lane_id() < simt::warp_size / 2;
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    unsigned of_half[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      of_half[h] = simt::shfl(simt::full_warp, half[2 * r + h], source) |
                   simt::shfl(simt::full_warp, half[2 * r + h], source + 1) << step;
    }
    word[r] = low ? of_half[0] : of_half[1];
  }
}

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
