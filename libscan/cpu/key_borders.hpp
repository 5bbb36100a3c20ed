// SPDX-License-Identifier: Apache-2.0
// Keys that a segmented scan overwrites with its results, chunk by chunk. The last key of a chunk
// may be overwritten before the next chunk is compared with it, so the head flags at chunk borders
// are found first.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/cpu/segment_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// Whether results at `Out` may overwrite what `Heads` reads: keys of the same type.
template <class Heads, class Out>
inline constexpr bool can_overwrite_heads = false;
template <std::contiguous_iterator Keys, class Equal, std::contiguous_iterator Out>
inline constexpr bool can_overwrite_heads<segment_keys<Keys, Equal>, Out> =
    std::same_as<std::iter_value_t<Keys>, std::iter_value_t<Out>>;

/// `segment_keys` of n items for a scan in chunks of `chunk_items`; a chunk only reads its own
/// keys.
template <class Keys, class Equal>
class bordered_keys {
 public:
  bordered_keys(segment_keys<Keys, Equal> const& keys, scan_direction direction, index_t n,
                index_t chunk_items)
      : keys_(keys), direction_(direction), n_(n), chunk_items_(chunk_items) {
    borders_.reserve(static_cast<std::size_t>(ceil_div(n, chunk_items)));
    bool const forward = direction == scan_direction::forward;
    for (index_t begin = 0; begin < n; begin += chunk_items) {
      borders_.push_back(begin == 0 || changes(forward ? begin : n - begin) ? 1 : 0);
    }
  }

  /// `mark` for `mark_positions`, for one chunk.
  void mark(index_t begin, index_t end, head_word* to) const {
    direction_ == scan_direction::forward ? mark_forward(begin, end, to)
                                          : mark_reverse(begin, end, to);
  }
  memory_piece read_for(index_t begin, index_t end) const { return keys_.read_for(begin, end); }

 private:
  bool changes(index_t i) const { return !keys_.equal(keys_.keys[i - 1], keys_.keys[i]); }
  bool border_at(index_t position) const {
    return borders_[static_cast<std::size_t>(position / chunk_items_)] != 0;
  }

  /// The first item is at the border: marks its word's items one by one.
  void mark_forward(index_t begin, index_t end, head_word* to) const {
    index_t const first = std::min(end, begin + word_heads);
    detail::mark_one_by_one(first - begin, to, [&](index_t k) {
      return k == 0 ? border_at(begin) : changes(begin + k);
    });
    if (end > first) keys_.mark(first, end, to + 1);
  }

  /// The last item is at the border, except in the chunk of the last items.
  void mark_reverse(index_t begin, index_t end, head_word* to) const {
    index_t const last = end - 1, position = n_ - last;
    bool const at_border = position % chunk_items_ == 0;
    index_t const own_end = at_border ? last : end;
    if (begin < own_end) keys_.mark(begin, own_end, to);
    if (!at_border) return;
    index_t const bit = last - begin;
    head_word& word = to[bit / word_heads];
    if (bit % word_heads == 0) word = 0;
    word |= head_word{border_at(position)} << bit % word_heads;
  }

  segment_keys<Keys, Equal> keys_;
  scan_direction direction_;
  index_t n_;
  index_t chunk_items_;
  std::vector<std::uint8_t> borders_;  // whether a chunk's first position begins a segment
};

}  // namespace libscan::inline v1::cpu::detail
