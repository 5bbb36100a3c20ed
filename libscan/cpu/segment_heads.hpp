// SPDX-License-Identifier: Apache-2.0
// Where segments begin, said in four ways: a byte or a bit for each item, the segments' offsets, or
// keys that change. Each marks the heads of a piece of the input as bits.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/cpu/masks.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu {

/// What a segmented scan requires of a description of segments: it marks the items at which a
/// segment begins. What it says of item 0 does not matter: a segment begins there. It may have a
/// heads.read_for(begin, end) besides: the memory that `mark` will read, to be asked for early.
template <class Heads>
concept segment_heads = item_marks<Heads>;

/// Segments begin at items that are true.
using head_flags = byte_mask;
using head_bits = bit_mask;

/// Segment s holds items [offsets[s], offsets[s + 1]), perhaps none. `segments` + 1 offsets: the
/// first is 0, none is less than the one before, the last is n.
struct segment_offsets {
  index_t const* offsets;
  index_t segments;

  void mark(index_t begin, index_t end, head_word* to) const {
    constexpr index_t room = 2048, dense = room / 4;
    alignas(64) std::uint8_t flags[room];
    auto const& code = detail::best_vector_heads();
    index_t const* const last = offsets + segments;
    index_t const* at = first_from(begin);
    for (; begin < end; begin += room, to += room / word_heads) {
      index_t const items = std::min(room, end - begin);
      while (at != last && *at < begin) ++at;
      if (at == last || *at - begin >= items) {
        std::fill_n(to, ceil_div(items, word_heads), head_word{0});
      } else if (items == room && last - at > dense && at[dense] - begin < room) {
        at = code.offsets(at, last, begin, room / word_heads, to);
      } else {
        // Bytes first: were bits set one by one, each would wait for the one before.
        std::fill_n(flags, items, std::uint8_t{0});
        for (; at != last && *at - begin < items; ++at) flags[*at - begin] = 1;
        code.flags(flags, items, to);
      }
    }
  }
  memory_piece read_for(index_t begin, index_t end) const {
    index_t const* const from = first_from(begin);
    // As many as if the segments ahead were as long as those of all items are.
    double const density = static_cast<double>(segments) / static_cast<double>(offsets[segments]);
    auto const likely = static_cast<index_t>(static_cast<double>(end - begin) * density);
    index_t const count = std::min(likely + 1, segments - (from - offsets));
    return {from, count * static_cast<index_t>(sizeof(index_t))};
  }

 private:
  /// The first segment's that does not begin before `item`, 0 <= item < n. Looks where it would be
  /// if segments were as long as they are on average, twice, and from there in growing steps.
  index_t const* first_from(index_t item) const {
    double const density = static_cast<double>(segments) / static_cast<double>(offsets[segments]);
    index_t guess = 0;
    for (int round = 0; round < 3; ++round) {
      auto const away = static_cast<double>(item - offsets[guess]);
      guess = std::clamp<index_t>(guess + static_cast<index_t>(away * density), 0, segments);
    }
    // All before `low` are less than `item`, none from `high` on is.
    index_t low = guess, high = guess;
    for (index_t step = 4; low > 0 && offsets[low - 1] >= item; step *= 4) {
      high = low - 1;
      low = std::max<index_t>(0, low - step);
    }
    for (index_t step = 4; high < segments && offsets[high] < item; step *= 4) {
      low = high + 1;
      high = std::min(segments, high + step);
    }
    return std::lower_bound(offsets + low, offsets + high, item);
  }
};

/// A key for each item: a segment is a run of keys that compare equal (==) to the one before.
template <class Key>
struct segment_keys {
  Key const* keys;

  void mark(index_t begin, index_t end, head_word* to) const {
    if (begin > 0) return detail::mark_changes(keys + begin, end - begin, to);
    // There is no key before item 0: the first word's items one by one.
    index_t const first = std::min(end, word_heads);
    detail::mark_one_by_one(first, to,
                            [&](index_t i) { return i == 0 || !(keys[i] == keys[i - 1]); });
    if (end > first) detail::mark_changes(keys + first, end - first, to + 1);
  }
  memory_piece read_for(index_t begin, index_t end) const {
    return {keys + begin, (end - begin) * static_cast<index_t>(sizeof(Key))};
  }
};

namespace detail {

/// Whether item i of some marked items begins a segment.
inline bool is_head(head_word const* heads, index_t i) {
  return (heads[i / word_heads] >> (i % word_heads) & 1) != 0;
}

/// The bits of a word in reverse.
inline head_word reversed(head_word x) {
  auto const swap = [&](int by, head_word low) { x = (x >> by & low) | (x & low) << by; };
  swap(1, 0x5555555555555555u);
  swap(2, 0x3333333333333333u);
  swap(4, 0x0f0f0f0f0f0f0f0fu);
  swap(8, 0x00ff00ff00ff00ffu);
  swap(16, 0x0000ffff0000ffffu);
  swap(32, 0x00000000ffffffffu);
  return x;
}

/// The first n bits of some words in reverse; those behind them are 0 and stay so.
inline void reverse_bits(head_word* words, index_t n) {
  index_t const count = ceil_div(n, word_heads);
  int const beyond = static_cast<int>(count * word_heads - n);
  std::reverse(words, words + count);
  for (index_t w = 0; w < count; ++w) words[w] = reversed(words[w]);
  if (beyond == 0) return;
  for (index_t w = 0; w < count; ++w) {
    head_word const next = w + 1 < count ? words[w + 1] << (word_heads - beyond) : 0;
    words[w] = words[w] >> beyond | next;
  }
}

}  // namespace detail

/// The heads a scan meets at its positions [begin, end): that of begin + k is bit k % 64 of
/// to[k / 64]; the last word's further bits are 0. Forwards position p is item p of n. In reverse
/// it is item n - 1 - p, and what begins there is what ends there forwards: the head of the item
/// after it. Position 0 always is a head.
template <segment_heads Heads>
void mark_positions(Heads const& heads, scan_direction direction, index_t n, index_t begin,
                    index_t end, head_word* to) {
  if (begin >= end) return;
  if (direction == scan_direction::forward) {
    heads.mark(begin, end, to);
  } else {
    // There is no item n to ask for.
    index_t const from = n - end + 1, until = std::min(n - begin + 1, n);
    to[(end - begin - 1) / word_heads] = 0;
    if (from < until) heads.mark(from, until, to);
    detail::reverse_bits(to, end - begin);
  }
  if (begin == 0) to[0] |= 1;
}

}  // namespace libscan::inline v1::cpu
