// SPDX-License-Identifier: Apache-2.0
// The bits of a mask in a warp: rows of 1024 items; every lane has 32 of a row in a word.
#pragma once

#include <libscan/device/segments.cuh>

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
    index_t const most = Rows * word_row_items;
    int const count = static_cast<int>(valid < most ? valid : most) - first;
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
