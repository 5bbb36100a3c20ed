// SPDX-License-Identifier: Apache-2.0
// How kernels read masks and descriptions of segments (libscan/core/segments.hpp): as the bits of a
// few consecutive items at once. Also which items of a tile are in segments.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Three functions read each description, for Width <= 32:
//
//   whole_rows<Width>(marks)        whether `whole_bits` may be called, for i a multiple of Width
//   whole_bits<Width>(marks, i)     bit j: item i + j is true, or begins a segment
//   bits<Width>(marks, i, count)    the same for j < count; no other bit is set

/// What has them as members: a part of a description that a kernel has brought into shared memory.
template <class Marks>
concept reads_bits = requires(Marks const& marks) {
  marks.template bits<1>(0, 1);
};

/// These members.
template <int Width, reads_bits Marks>
__device__ __forceinline__ bool whole_rows(Marks const& marks) {
  return marks.template whole_rows<Width>();
}
template <int Width, reads_bits Marks, class Index>
__device__ __forceinline__ unsigned whole_bits(Marks const& marks, Index i) {
  return marks.template whole_bits<Width>(i);
}
template <int Width, reads_bits Marks, class Index>
__device__ __forceinline__ unsigned bits(Marks const& marks, Index i, int count) {
  return marks.template bits<Width>(i, count);
}

namespace detail {

/// The highest bit of each byte says whether byte k of the word is nonzero.
__device__ __forceinline__ unsigned nonzero_bytes(unsigned word) {
  return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
}

/// The same of four bytes; and a bit for each nonzero byte of a row.
__device__ __forceinline__ unsigned nonzero(std::uint8_t const* four) {
  return detail::nonzero_bytes(four[0] | unsigned{four[1]} << 8 | unsigned{four[2]} << 16 |
                               unsigned{four[3]} << 24);
}

template <int Width>
__device__ __forceinline__ unsigned pack(std::uint8_t const (&row)[Width]) {
  unsigned result = 0;
  if constexpr (Width == 4) {
    // Four bits meet in the top of the product; no two terms overlap. Takes one register fewer
    // than what follows.
    result = detail::nonzero(row) * 0x00204081u >> 28;
  } else if constexpr (Width % 8 == 0) {
    // A product with powers of two sums the bits of four bytes, those of eight in one register.
#pragma unroll
    for (int j = 0; j < Width; j += 8) {
      unsigned const low = simt::dp4a<std::uint8_t>(detail::nonzero(row + j), 0x08040201u, 0);
      result |= simt::dp4a<std::uint8_t>(detail::nonzero(row + j + 4), 0x80402010u, low) >> 7 << j;
    }
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      if (row[j] != 0) result |= 1u << j;
    }
  }
  return result;
}

}  // namespace detail

/// For bytes.
template <int Width>
__device__ __forceinline__ bool whole_rows(byte_mask const& mask) {
  return warp::whole_rows<Width>(mask.bytes);
}
template <int Width>
__device__ __forceinline__ unsigned whole_bits(byte_mask const& mask, index_t i) {
  std::uint8_t row[Width];
  warp::load_whole_row(mask.bytes, i, row);
  return detail::pack(row);
}
template <int Width>
__device__ __forceinline__ unsigned bits(byte_mask const& mask, index_t i, int count) {
  std::uint8_t row[Width];
  warp::load_row(mask.bytes, i, count, std::uint8_t{0}, row);
  return detail::pack(row);
}

/// For bits. Width divides 32 and i.
template <int Width>
__device__ __forceinline__ bool whole_rows(bit_mask const& /*mask*/) {
  return true;
}
template <int Width>
__device__ __forceinline__ unsigned whole_bits(bit_mask const& mask, index_t i) {
  static_assert(32 % Width == 0);
  return mask.words[i / 32] >> i % 32 & (~0u >> (32 - Width));
}
template <int Width>
__device__ __forceinline__ unsigned bits(bit_mask const& mask, index_t i, int count) {
  if (count <= 0) return 0;
  unsigned const kept = count < Width ? (1u << count) - 1 : ~0u;
  return device::whole_bits<Width>(mask, i) & kept;
}

namespace detail {

template <class Keys>
using key_of = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<Keys>()[0])>>;

/// Which of `count` keys in `row`, from key i on, differ from the one before.
template <int Width, class Keys, class Equal>
__device__ __forceinline__ unsigned changes(segment_keys<Keys, Equal> const& heads, index_t i,
                                            int count, key_of<Keys> const (&row)[Width]) {
  // The neighbor's key is in the line that the warp reads at this moment: a shuffle is not cheaper.
  key_of<Keys> const before = heads.keys[i == 0 ? 0 : i - 1];
  unsigned result = i == 0 || !heads.equal(before, row[0]) ? 1 : 0;
#pragma unroll
  for (int j = 1; j < Width; ++j) {
    if (j < count && !heads.equal(row[j - 1], row[j])) result |= 1u << j;
  }
  return result;
}

}  // namespace detail

/// For keys.
template <int Width, class Keys, class Equal>
__device__ __forceinline__ bool whole_rows(segment_keys<Keys, Equal> const& heads) {
  return warp::whole_rows<Width>(heads.keys);
}
template <int Width, class Keys, class Equal>
__device__ __forceinline__ unsigned whole_bits(segment_keys<Keys, Equal> const& heads, index_t i) {
  detail::key_of<Keys> row[Width];
  warp::load_whole_row(heads.keys, i, row);
  return detail::changes<Width>(heads, i, Width, row);
}
template <int Width, class Keys, class Equal>
__device__ __forceinline__ unsigned bits(segment_keys<Keys, Equal> const& heads, index_t i,
                                         int count) {
  if (count <= 0) return 0;
  detail::key_of<Keys> row[Width];
  warp::load_row(heads.keys, i, count, detail::key_of<Keys>{}, row);
  return detail::changes<Width>(heads, i, count, row);
}

/// i % length, by 32-bit arithmetic if that is enough.
__device__ __forceinline__ index_t remainder(equal_segments const& rows, index_t i) {
  if ((i | rows.length) >> 32 == 0) {
    return static_cast<unsigned>(i) % static_cast<unsigned>(rows.length);
  }
  return i % rows.length;
}

/// For segments of one length.
template <int Width>
__device__ __forceinline__ bool whole_rows(equal_segments const& /*rows*/) {
  return true;
}
template <int Width>
__device__ __forceinline__ unsigned bits(equal_segments const& rows, index_t i, int count) {
  unsigned result = 0;
  index_t next = device::remainder(rows, i);
  next = next == 0 ? 0 : rows.length - next;
  for (; next < count; next += rows.length) result |= 1u << next;
  return result;
}
template <int Width>
__device__ __forceinline__ unsigned whole_bits(equal_segments const& rows, index_t i) {
  return device::bits<Width>(rows, i, Width);
}

/// The memory of the description of n items.
inline memory_span memory_of(byte_mask const& mask, index_t n) { return memory_of(mask.bytes, n); }
inline memory_span memory_of(bit_mask const& mask, index_t n) {
  return memory_of(mask.words, ceil_div(n, index_t{32}));
}
template <class Offset>
memory_span memory_of(segment_offsets<Offset> const& descriptor, index_t) {
  return device::memory_of(descriptor.offsets, descriptor.segments + 1);
}
template <class Keys, class Equal>
memory_span memory_of(segment_keys<Keys, Equal> const& descriptor, index_t n) {
  return device::memory_of(descriptor.keys, n);
}

/// Throws `invalid_argument` for a descriptor that describes no segments.
template <class Heads>
void check_heads(Heads const&) {}
template <class Offset>
void check_heads(segment_offsets<Offset> const& heads) {
  if (heads.segments < 0) {
    throw invalid_argument("number of segments is " + std::to_string(heads.segments) +
                           "; expected >= 0");
  }
}
inline void check_heads(equal_segments const& rows) {
  if (rows.length <= 0) {
    throw invalid_argument("length of segments is " + std::to_string(rows.length) +
                           "; expected > 0");
  }
}

/// All items of a tile are in segments.
struct all_items {
  __device__ bool hold(int, int) const { return true; }
  __device__ bool has(int) const { return true; }
};

/// Only items [first, end) of a tile are.
struct some_items {
  int first, end;

  /// Whether all of [from, to) are.
  __device__ bool hold(int from, int to) const { return first <= from && to <= end; }
  /// Whether this one is.
  __device__ bool has(int item) const { return first <= item && item < end; }
};

/// Head flags that come of offsets.
template <class Heads>
concept has_offsets = requires(Heads const& heads) {
  heads.offsets[heads.segments];
};

/// Whether all items [base, end) are in segments.
template <class Heads>
__device__ __forceinline__ bool all_in_segments(Heads const&, index_t, index_t) {
  return true;
}
template <has_offsets Heads>
__device__ __forceinline__ bool all_in_segments(Heads const& heads, index_t base, index_t end) {
  return static_cast<index_t>(heads.offsets[0]) <= base &&
         end <= static_cast<index_t>(heads.offsets[heads.segments]);
}

/// Which items of the tile at `base` are in segments.
template <class Heads>
__device__ __forceinline__ all_items items_in_segments(Heads const&, index_t) {
  return {};
}
template <has_offsets Heads>
__device__ __forceinline__ some_items items_in_segments(Heads const& heads, index_t base) {
  auto const in_tile = [&](auto offset) {
    constexpr index_t beyond = index_t{1} << 30;  // no tile has so many
    index_t const item = static_cast<index_t>(offset) - base;
    return static_cast<int>(item < 0 ? 0 : item < beyond ? item : beyond);
  };
  return {in_tile(heads.offsets[0]), in_tile(heads.offsets[heads.segments])};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
