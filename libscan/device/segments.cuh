// SPDX-License-Identifier: Apache-2.0
// Where segments begin, in the forms that programs have: flags, bits, offsets, keys, or one length
// for all. Kernels read the head bits of a few consecutive items from each. Item 0 always begins a
// segment.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/core/operators.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/masks.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Segments begin at nonzero bytes. Costs one byte of traffic per item.
using head_flags = byte_mask;

/// Segments begin at set bits: bit i of word w is item 32 w + i. Costs 1/8 byte per item.
using head_bits = bit_mask;

/// Segment s is the items [offsets[s], offsets[s + 1]); it may be empty. `offsets`: segments + 1
/// integers of any size in device memory, ascending within 0 ... n. Items before the first offset
/// or after the last are in no segment: a scan does not write them. Offsets outside [0, n) begin
/// nothing. They are turned into head bits in the workspace: reads all offsets, writes and reads
/// 1/8 byte per item; without a search, for segments of any length. But in scans and sums of up to
/// 2^22 items in up to 2^17 segments each tile searches for its own segments instead.
template <class Offset>
struct segment_offsets {
  Offset const* offsets;
  index_t segments;
};
template <class Offset>
segment_offsets(Offset const*, index_t) -> segment_offsets<Offset>;
template <class Offset>
segment_offsets(Offset*, index_t) -> segment_offsets<Offset>;

/// A segment begins wherever a key differs from the previous one. `keys`: a random-access iterator
/// of the device; `equal(earlier, later)` is called for neighbors only. Costs one key of traffic
/// per item.
template <class Keys, class Equal = equal_values>
struct segment_keys {
  Keys keys;
  Equal equal{};

  /// Whether `whole_bits` may be called, for i a multiple of Width.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return warp::whole_rows<Width>(keys);
  }

  /// Bit j: item i + j begins a segment, for j < Width <= 32.
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    key row[Width];
    warp::load_whole_row(keys, i, row);
    return changes(i, Width, row);
  }

  /// The same for j < count; no other bit is set.
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    if (count <= 0) return 0;
    key row[Width];
    warp::load_row(keys, i, count, key{}, row);
    return changes(i, count, row);
  }

 private:
  using key = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<Keys>()[0])>>;

  template <int Width>
  __device__ __forceinline__ unsigned changes(index_t i, int count, key const (&row)[Width]) const {
    // The neighbor's key is in the line that the warp reads at this moment: a shuffle is not
    // cheaper.
    key const before = keys[i == 0 ? 0 : i - 1];
    unsigned result = i == 0 || !equal(before, row[0]) ? 1 : 0;
#pragma unroll
    for (int j = 1; j < Width; ++j) {
      if (j < count && !equal(row[j - 1], row[j])) result |= 1u << j;
    }
    return result;
  }
};

/// Keys compared by ==.
template <class Keys>
segment_keys(Keys) -> segment_keys<Keys>;

/// Keys compared by `equal`.
template <class Keys, class Equal>
segment_keys(Keys, Equal) -> segment_keys<Keys, Equal>;

/// Every segment has `length` > 0 items, except the last, which may have fewer: the rows of a
/// matrix. No traffic.
struct equal_segments {
  index_t length;

  /// Whether `whole_bits` may be called: always.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return true;
  }

  /// Bit j: item i + j begins a segment, for j < Width <= 32.
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    return bits<Width>(i, Width);
  }

  /// The same for j < count; no other bit is set.
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    unsigned result = 0;
    index_t next = remainder(i);
    next = next == 0 ? 0 : length - next;
    for (; next < count; next += length) result |= 1u << next;
    return result;
  }

  /// i % length, by 32-bit arithmetic if that is enough.
  __device__ __forceinline__ index_t remainder(index_t i) const {
    if ((i | length) >> 32 == 0) {
      return static_cast<unsigned>(i) % static_cast<unsigned>(length);
    }
    return i % length;
  }
};

namespace device {

/// The memory of the description of the segments of n items.
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
inline void check_heads(equal_segments const& heads) {
  if (heads.length <= 0) {
    throw invalid_argument("length of segments is " + std::to_string(heads.length) +
                           "; expected > 0");
  }
}

}  // namespace device
}  // namespace libscan::inline LIBSCAN_MACHINE
