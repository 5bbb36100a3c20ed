// SPDX-License-Identifier: Apache-2.0
// Segments given by offsets.
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
