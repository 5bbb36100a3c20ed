// SPDX-License-Identifier: Apache-2.0
// One bit per item, in two forms: a byte each, or 32 packed in a word. Read as the bits of a few
// consecutive items at once.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device::detail {

/// The highest bit of each byte says whether byte k of the word is nonzero.
__device__ __forceinline__ unsigned nonzero_bytes(unsigned word) {
  return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
}

}  // namespace device::detail

/// A byte per item; nonzero is true.
struct byte_mask {
  std::uint8_t const* bytes;

  /// Whether `whole_bits` may be called, for i a multiple of Width.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return warp::whole_rows<Width>(bytes);
  }

  /// Bit j = item i + j, for j < Width <= 32.
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    std::uint8_t row[Width];
    warp::load_whole_row(bytes, i, row);
    return pack(row);
  }

  /// The same for j < count; no other bit is set.
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    std::uint8_t row[Width];
    warp::load_row(bytes, i, count, std::uint8_t{0}, row);
    return pack(row);
  }

 private:
  static __device__ __forceinline__ unsigned nonzero(std::uint8_t const* four) {
    return device::detail::nonzero_bytes(four[0] | unsigned{four[1]} << 8 |
                                         unsigned{four[2]} << 16 | unsigned{four[3]} << 24);
  }

  template <int Width>
  static __device__ __forceinline__ unsigned pack(std::uint8_t const (&row)[Width]) {
    unsigned result = 0;
    if constexpr (Width == 4) {
      // Four bits meet in the top of the product; no two terms overlap. Takes one register fewer
      // than what follows.
      result = nonzero(row) * 0x00204081u >> 28;
    } else if constexpr (Width % 8 == 0) {
      // A product with powers of two sums the bits of four bytes, those of eight in one register.
#pragma unroll
      for (int j = 0; j < Width; j += 8) {
        unsigned const low = simt::dp4a<std::uint8_t>(nonzero(row + j), 0x08040201u, 0);
        result |= simt::dp4a<std::uint8_t>(nonzero(row + j + 4), 0x80402010u, low) >> 7 << j;
      }
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if (row[j] != 0) result |= 1u << j;
      }
    }
    return result;
  }
};

/// 32 items per word: bit i of word w is item 32 w + i.
struct bit_mask {
  std::uint32_t const* words;

  /// Whether `whole_bits` may be called: always.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return true;
  }

  /// Bit j = item i + j, for j < Width, which divides 32 and i.
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    static_assert(32 % Width == 0);
    return words[i / 32] >> i % 32 & (~0u >> (32 - Width));
  }

  /// The same for j < count; no other bit is set.
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    if (count <= 0) return 0;
    unsigned const kept = count < Width ? (1u << count) - 1 : ~0u;
    return whole_bits<Width>(i) & kept;
  }
};

namespace device {

/// The memory of a mask of n items.
inline memory_span memory_of(byte_mask const& mask, index_t n) { return memory_of(mask.bytes, n); }
inline memory_span memory_of(bit_mask const& mask, index_t n) {
  return memory_of(mask.words, ceil_div(n, index_t{32}));
}

}  // namespace device

}  // namespace libscan::inline LIBSCAN_MACHINE
