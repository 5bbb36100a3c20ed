// SPDX-License-Identifier: Apache-2.0
// Where segments begin, said in four ways: a byte or a bit for each item, the segments' offsets, or
// keys that change. Each marks the heads of a piece of the input as bytes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu {

/// What a segmented scan requires of a description of segments: heads.mark(begin, end, to) sets
/// to[k] to 1 if a segment begins at item begin + k, to 0 if not, for all items of [begin, end). It
/// is called concurrently. What it says of item 0 does not matter: a segment begins there.
template <class Heads>
concept segment_heads = std::copy_constructible<Heads> &&
    requires(Heads const heads, index_t item, std::uint8_t* to) {
  heads.mark(item, item, to);
};

/// A byte for each item: not 0 where a segment begins.
struct head_flags {
  std::uint8_t const* flags;

  void mark(index_t begin, index_t end, std::uint8_t* to) const {
    for (index_t i = begin; i < end; ++i) to[i - begin] = flags[i] != 0 ? 1 : 0;
  }
};

/// A bit for each item: bit i of word w is 1 where a segment begins at item 32 w + i. n items have
/// ceil(n / 32) words; bits behind them are ignored.
struct head_bits {
  std::uint32_t const* words;

  void mark(index_t begin, index_t end, std::uint8_t* to) const {
    for (index_t i = begin; i < end; ++i) {
      to[i - begin] = static_cast<std::uint8_t>(words[i / 32] >> (i % 32) & 1);
    }
  }
};

/// Segment s holds items [offsets[s], offsets[s + 1]), perhaps none. `segments` + 1 offsets: the
/// first is 0, none is less than the one before, the last is n.
struct segment_offsets {
  index_t const* offsets;
  index_t segments;

  void mark(index_t begin, index_t end, std::uint8_t* to) const {
    std::fill_n(to, end - begin, std::uint8_t{0});
    index_t const* const last = offsets + segments;
    for (auto at = std::lower_bound(offsets, last, begin); at != last && *at < end; ++at) {
      to[*at - begin] = 1;
    }
  }
};

/// A key for each item: a segment is a run of keys that compare equal (==) to the one before.
template <class Key>
struct segment_keys {
  Key const* keys;

  void mark(index_t begin, index_t end, std::uint8_t* to) const {
    if (begin == 0 && end > 0) to[0] = 1;
    for (index_t i = std::max<index_t>(begin, 1); i < end; ++i) {
      to[i - begin] = keys[i] == keys[i - 1] ? 0 : 1;
    }
  }
};

/// The heads a scan meets at its positions [begin, end), 1 or 0 in `to`. Forwards position p is
/// item p of n. In reverse it is item n - 1 - p, and what begins there is what ends there forwards:
/// the head of the item after it. Position 0 always is a head.
template <segment_heads Heads>
void mark_positions(Heads const& heads, scan_direction direction, index_t n, index_t begin,
                    index_t end, std::uint8_t* to) {
  if (begin >= end) return;
  if (direction == scan_direction::forward) {
    heads.mark(begin, end, to);
  } else {
    heads.mark(n - end + 1, std::min(n - begin + 1, n), to);
    if (begin == 0) to[end - 1] = 1;  // there is no item n to ask for
    std::reverse(to, to + (end - begin));
  }
  if (begin == 0) to[0] = 1;
}

}  // namespace libscan::inline v1::cpu
