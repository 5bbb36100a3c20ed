// SPDX-License-Identifier: Apache-2.0
// What the sort of tiny segments, which reads all segments, leaves for the sorts of longer ones:
// which segments begin in each stretch of the items, which stretches are to be sorted, and the long
// segments with their tiles.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Segments given by offsets.

/// Segments of items: number s is [offsets[s], offsets[s + 1]), for s < count.
template <class Offset>
struct segment_list {
  Offset const* offsets;
  index_t count;

  __device__ index_t begin(index_t s) const { return static_cast<index_t>(offsets[s]); }
  __device__ index_t end(index_t s) const { return static_cast<index_t>(offsets[s + 1]); }
  __device__ index_t length(index_t s) const { return end(s) - begin(s); }

  /// The first of segments [low, high) that begins at `item` or after it; `high` if none does.
  __device__ index_t first_from(index_t item, index_t low, index_t high) const {
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      if (begin(middle) < item) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// In device memory; the first `cleared_bytes` must be zero before anything is recorded. A small
/// value, passed to kernels.
struct longer_segments {
  /// Segments that begin in one stretch.
  struct range {
    index_t from, to;
  };

  index_t stretch_items;        // segments with more are long
  index_t tile_items;           // of a tile of a long one
  unsigned long long* claimed;  // long segments, times 2^32, and their tiles
  unsigned* marks;              // of each stretch: whether its segments are to be sorted together
  range* begun;                 // of each stretch; undefined if there are none
  index_t* segment;             // the long ones, in any order,
  index_t* first_tile;          // and the first tile of each, ascending

  /// `memory`: at least `bytes`, aligned to 8.
  longer_segments(std::byte* memory, index_t n, index_t stretch, index_t tile)
      : stretch_items(stretch),
        tile_items(tile),
        claimed(reinterpret_cast<unsigned long long*>(memory)),
        marks(reinterpret_cast<unsigned*>(memory + sizeof(*claimed))),
        begun(reinterpret_cast<range*>(memory + cleared_bytes(n, stretch))),
        segment(reinterpret_cast<index_t*>(begun + ceil_div(n, stretch))),
        first_tile(segment + n / stretch) {}

  static constexpr std::size_t cleared_bytes(index_t n, index_t stretch) {
    auto const pairs = static_cast<std::size_t>(ceil_div(n, 2 * stretch));
    return sizeof(unsigned long long) + pairs * 2 * sizeof(unsigned);
  }
  static constexpr std::size_t bytes(index_t n, index_t stretch) {
    return cleared_bytes(n, stretch) +
           static_cast<std::size_t>(ceil_div(n, stretch)) * sizeof(range) +
           static_cast<std::size_t>(n / stretch) * 2 * sizeof(index_t);
  }

  /// Marks the stretch of an item: the segments that begin there are sorted together. Orders no
  /// memory.
  __device__ void mark(index_t item) const {
    simt::atomic_ref<unsigned>(marks[item / stretch_items]).store(1, simt::memory_order_relaxed);
  }

  /// Records a long segment. Orders no memory.
  __device__ void add(index_t s, index_t length) const {
    auto const tiles = static_cast<unsigned long long>(ceil_div(length, tile_items));
    unsigned long long const before = simt::atomic_ref<unsigned long long>(*claimed).fetch_add(
        1ull << 32 | tiles, simt::memory_order_relaxed);
    segment[before >> 32] = s;
    first_tile[before >> 32] = static_cast<index_t>(before & 0xffffffffu);
  }

  /// Records where segment s of n items begins. `previous` is where the previous segment begins, or
  /// -1; `next` is where the next one begins, or n.
  __device__ void place(index_t s, index_t previous, index_t begin, index_t next,
                        index_t n) const {
    if (begin >= n) return;  // empty, in no stretch
    index_t const stretch = begin / stretch_items;
    if (previous < 0 || previous / stretch_items != stretch) begun[stretch].from = s;
    if (next >= n || next / stretch_items != stretch) begun[stretch].to = s + 1;
  }

  /// The number of long segments that earlier launches have recorded.
  __device__ index_t long_ones() const { return static_cast<index_t>(*claimed >> 32); }
  /// Their tiles.
  __device__ index_t tiles() const { return static_cast<index_t>(*claimed & 0xffffffffu); }

  /// The index in the list of the long segment that contains a tile: the last that begins with it
  /// or before.
  __device__ index_t at_tile(index_t tile) const {
    index_t low = 0, high = long_ones() - 1;
    while (low < high) {
      index_t const middle = low + (high - low + 1) / 2;
      if (first_tile[middle] <= tile) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
