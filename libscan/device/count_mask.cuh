// SPDX-License-Identifier: Apache-2.0
// The number of items of a mask that are true: counted by a warp, at the speed of memory.
#pragma once

#include <cstdint>

#include <libscan/device/mask_words.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// How a warp counts the items of a mask that are true, up to eight rows of 16 bytes a lane at
/// once. Each lane returns its share of the count.
template <class Mask, int TileItems>
struct mask_rows;

/// Bits are words already.
template <int TileItems>
struct mask_rows<bit_mask, TileItems> {
  static constexpr int width = 4;
  static constexpr int row_items = width * word_row_items;
  static constexpr int rows = TileItems < 8 * row_items ? TileItems / row_items : 8;
  static constexpr int items = rows * row_items;
  static_assert(TileItems % items == 0);

  /// Whether `count_whole` may be called.
  static __device__ bool are_whole(bit_mask mask) { return warp::whole_rows<width>(mask.words); }

  /// Counts the `items` from `base` on; bytes are also written to `words`, as bits.
  static __device__ unsigned count_whole(bit_mask mask, index_t base, std::uint32_t*) {
    std::uint32_t row[rows][width];
    index_t const first = base / word_items + simt::lane_id() * width;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const four =
          simt::load_vector_to_keep<width>(mask.words + first + r * simt::warp_size * width);
#pragma unroll
      for (int j = 0; j < width; ++j) row[r][j] = four.item[j];
    }
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < width; ++j) sum += static_cast<unsigned>(simt::popc(row[r][j]));
    }
    return sum;
  }

  /// The same for those before `end`; the bits after it are 0.
  static __device__ unsigned count_part(bit_mask mask, index_t base, index_t end, std::uint32_t*) {
    unsigned sum = 0;
    index_t const to = end < base + items ? end : base + items;
    for (index_t i = base + simt::lane_id() * word_items; i < to; i += word_row_items) {
      int const count = static_cast<int>(to - i < word_items ? to - i : word_items);
      sum += static_cast<unsigned>(simt::popc(mask.bits<word_items>(i, count)));
    }
    return sum;
  }
};

/// Bytes are converted to bits.
template <int TileItems>
struct mask_rows<byte_mask, TileItems> {
  static constexpr int width = 16;
  static constexpr int row_items = simt::warp_size * width;
  static constexpr int rows = 8;
  static constexpr int items = rows * row_items;
  static_assert(TileItems % items == 0);

  static __device__ bool are_whole(byte_mask mask) { return mask.whole_rows<width>(); }

  static __device__ unsigned count_whole(byte_mask mask, index_t base, std::uint32_t* words) {
    unsigned half[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      half[r] = mask.whole_bits<width>(base + r * row_items + simt::lane_id() * width);
    }
    return store(half, base, words);
  }

  static __device__ unsigned count_part(byte_mask mask, index_t base, index_t end,
                                        std::uint32_t* words) {
    unsigned half[rows] = {};
    for (int r = 0; r < rows; ++r) {
      index_t const i = base + r * row_items + simt::lane_id() * width;
      index_t const rest = end - i;
      half[r] = mask.bits<width>(i, static_cast<int>(rest < 0 ? 0 : rest < width ? rest : width));
    }
    return store(half, base, words);
  }

 private:
  /// Lanes exchange halves, so that each has a word of every second row.
  static __device__ unsigned store(unsigned const (&half)[rows], index_t base,
                                   std::uint32_t* words) {
    bool const odd = simt::lane_id() % 2 == 1;
    index_t const mine =
        base / word_items + (odd ? row_items / word_items : 0) + simt::lane_id() / 2;
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < rows; r += 2) {
      unsigned const got = simt::shfl_xor(simt::full_warp, odd ? half[r] : half[r + 1], 1);
      unsigned const word = odd ? got | half[r + 1] << width : half[r] | got << width;
      words[mine + r * (row_items / word_items)] = word;
      sum += static_cast<unsigned>(simt::popc(word));
    }
    return sum;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
