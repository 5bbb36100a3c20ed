// SPDX-License-Identifier: Apache-2.0
// Which items of a tile a scan within segments writes: all, or those between the first of some
// offsets and the last. It reads and scans them all in either case.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
    constexpr index_t far = index_t{1} << 30;  // no tile has so many
    index_t const item = static_cast<index_t>(offset) - base;
    return static_cast<int>(item < 0 ? 0 : item < far ? item : far);
  };
  return {in_tile(heads.offsets[0]), in_tile(heads.offsets[heads.segments])};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
