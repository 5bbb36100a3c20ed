// SPDX-License-Identifier: Apache-2.0
// Segments given by offsets, and which of them begin where.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Segments of items: number s is [offsets[s], offsets[s + 1]), for s < count.
template <class Offset>
struct segment_list {
  Offset const* offsets;
  index_t count;

  __device__ index_t begin(index_t s) const { return static_cast<index_t>(offsets[s]); }
  __device__ index_t end(index_t s) const { return static_cast<index_t>(offsets[s + 1]); }
  __device__ index_t length(index_t s) const { return end(s) - begin(s); }

  /// The first of segments [low, high) that begins at `item` or behind it; `high` if none does.
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

/// The first of segments [low, high) that begins at `item` or behind it; `high` if none does. By
/// the block, each of whose threads asks about one segment at a time.
template <int BlockThreads, class Offset>
__device__ index_t first_from(segment_list<Offset> const& segments, index_t item, index_t low,
                              index_t high) {
  while (low < high) {
    index_t const step = (high - low) / (BlockThreads + 1) + 1;
    index_t const asked = low + (static_cast<int>(threadIdx.x) + 1) * step - 1;
    int const before = simt::sync_block_count(asked < high && segments.begin(asked) < item);
    index_t const behind = low + (before + 1) * step - 1;  // not before, or past the end
    if (behind < high) high = behind;
    low += before * step;
  }
  return low;
}

/// The first segment from number `low` on that begins at `item` or behind it; unless some are
/// empty, one of the next `few`. By the block.
template <int BlockThreads, class Offset>
__device__ index_t first_near(segment_list<Offset> const& segments, index_t item, index_t low,
                              index_t few) {
  index_t const near = low + few;
  bool const is_near = near < segments.count && segments.begin(near) >= item;
  return first_from<BlockThreads>(segments, item, low, is_near ? near : segments.count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
