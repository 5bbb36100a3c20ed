// SPDX-License-Identifier: Apache-2.0
// Segments of a sort that the host lists, and the pieces in which they come. Internal.
#pragma once

#include <cstddef>
#include <span>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Items [begin, begin + size) of a segment, in one of two places.
struct listed_piece {
  index_t begin;
  index_t size;
  int segment;
  int source;  ///< 0 or 1
};

/// The most pieces, and segments, that are sorted together by the fast way.
inline constexpr std::size_t max_listed_pieces = 1024;

/// Pieces on the host, and the same ones in device memory.
struct listed_pieces {
  std::span<listed_piece const> host = {};
  listed_piece const* device = nullptr;
};

/// A sort within long segments of device memory, between two buffers of keys and, unless
/// `value_bytes` is 0, of values. After an even number of digits the result is in `keys` and
/// `values`, else in the other buffers.
struct listed_sort_call {
  void* keys = nullptr;
  void* other_keys = nullptr;
  void const* more_keys = nullptr;  ///< of pieces of source 1; those of source 0 are in `keys`
  void* values = nullptr;
  void* other_values = nullptr;
  void const* more_values = nullptr;
  int value_bytes = 0;  ///< 0, 4 or 8
  listed_pieces pieces = {};
  listed_pieces segments = {};
  bool agree_above = false;  ///< keys of a segment are equal in all bits above the sorted ones
};

}  // namespace libscan::inline v1::detail
