// SPDX-License-Identifier: Apache-2.0
// What sorts of device memory need around the kernels that sort between offsets: the offsets of
// segments in other forms, the items of ranges together, and positions. In plain C++;
// segment_moves.cu implements it. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// Items of ranges, of 1, 2, 4 or 8 bytes each, and a place for them together: those of range s
/// begin there at offsets[s].
struct range_copy {
  std::size_t item_bytes;
  void const* from;
  void* to;
  segment_ranges<index_t> ranges;
  index_t n;
  index_t const* offsets;
  bool back;  ///< from that place to the ranges
};

/// Head bits of n items, and the number of bits before each item.
struct ranked_heads {
  std::uint32_t const* words;
  std::uint64_t const* ranks;
  index_t const* d_total;  ///< of all bits
  index_t n;
};

/// These functions on a `cuda_device` or an `executor_run`. All pointers are to device memory, all
/// calls are asynchronous.
template <class Machine>
struct segment_moves {
  /// offsets[s] = where segment s begins, for s <= n: n from the last segment's end on. Item 0
  /// begins a segment.
  static void offsets_of(Machine on, queue_place const& place, ranked_heads const& heads,
                         index_t* offsets);
  /// lengths[s] = how many of n items are in range s.
  static void lengths_of(Machine on, queue_place const& place, segment_ranges<index_t> ranges,
                         index_t n, index_t* lengths);
  static void copy_ranges(Machine on, queue_place const& place, range_copy const& all);
  /// positions[i] = i, of 4 or 8 bytes.
  static void number_items(Machine on, queue_place const& place, void* positions, int bytes,
                           index_t n);
  /// Sets all bits of n positions.
  static void clear_positions(Machine on, queue_place const& place, void* positions, int bytes,
                              index_t n);
};

}  // namespace libscan::inline v1::detail
