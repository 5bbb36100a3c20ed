// SPDX-License-Identifier: Apache-2.0
// Which stretches of host memory pass through device memory, piece by piece, and where they go
// there. Plain C++. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <libscan/core/function_ref.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// A stretch of host memory and its place in the device memory of a piece.
struct host_part {
  void* host;  ///< of inputs, which are only read: null if `piece_plan::fill` makes it
  std::size_t bytes;
  std::size_t at;

  /// Items [begin, begin + n) of an array.
  static host_part of_items(void const* array, index_t begin, index_t n, std::size_t item_bytes,
                            std::size_t at) {
    auto* const first = static_cast<std::byte*>(const_cast<void*>(array));
    return {first + static_cast<std::size_t>(begin) * item_bytes,
            static_cast<std::size_t>(n) * item_bytes, at};
  }
};

/// A piece in device memory.
struct device_piece {
  std::byte* memory;
  index_t number;        ///< 0 is the first
  void* stream;          ///< a cudaStream_t, the same for all pieces
  std::byte* workspace;  ///< the same for all pieces
};

/// What passes through device memory. Calls come from changing threads, one at a time except
/// `fill`.
struct piece_plan {
  index_t pieces = 1;
  std::size_t device_bytes = 0;  ///< of each piece
  /// Lists what a piece reads. A stretch that `fill` makes is not longer than a block.
  function_ref<void(index_t piece, std::vector<host_part>& parts)> inputs;
  /// Puts kernels into the piece's stream, which read and write its memory. In order.
  function_ref<void(device_piece const& piece)> enqueue;
  /// Lists what a piece writes. In order. If there are counts, after the kernels have written them.
  function_ref<void(index_t piece, index_t const* counts, std::vector<host_part>& parts)> outputs;
  /// Host memory of the parts, to find how it is copied.
  std::vector<void const*> arrays = {};
  std::size_t counts_at = 0;           ///< where a piece's memory holds counts
  int counts = 0;                      ///< of type index_t, at most `max_counts`
  std::size_t workspace_bytes = 0;     ///< device memory that kernels of all pieces share
  host_part result = {nullptr, 0, 0};  ///< copied from there in the end
  /// Makes a stretch of an input; by several threads at once.
  function_ref<void(index_t piece, std::byte* to)> fill = no_fill;
  bool makes_inputs = false;  ///< by `fill`
  /// Pieces in device memory at once; 0: as many as copies keep busy. A block holds their counts.
  int at_once = 0;

  static constexpr int max_counts = 4;

 private:
  static constexpr auto no_fill = [](index_t, std::byte*) {};
};

/// Places of arrays in one block of memory, each aligned.
class memory_layout {
 public:
  static constexpr std::size_t alignment = 256;

  std::size_t add(std::size_t bytes) {
    std::size_t const at = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return at;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// n items in pieces of one length, a multiple of 32, except the last; no piece copies more than
/// `max_bytes` one way, unless 32 items are more.
struct item_pieces {
  index_t n;
  index_t piece_items;

  item_pieces(index_t items, std::size_t bytes_per_item, std::size_t max_bytes)
      : n(items),
        piece_items(std::max<index_t>(
            static_cast<index_t>(max_bytes / std::max<std::size_t>(bytes_per_item, 1)) / 32 * 32,
            32)) {}

  index_t count() const { return ceil_div(n, piece_items); }
  index_t begin(index_t piece) const { return piece * piece_items; }
  index_t size(index_t piece) const { return std::min(piece_items, n - begin(piece)); }
};

}  // namespace libscan::inline v1::detail
