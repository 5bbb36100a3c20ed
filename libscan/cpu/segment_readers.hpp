// SPDX-License-Identifier: Apache-2.0
// How the cpu engine reads masks and descriptions of segments (libscan/core/segments.hpp): a piece
// of the input at a time, as bits.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/index_checks.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

// mark(marks, begin, end, to) sets bit k % 64 of to[k / 64] to whether item begin + k is true, or
// begins a segment; read_for(marks, begin, end) is the memory that it will read, for prefetching.

/// Those of your own descriptions are their members.
template <class Marks>
requires requires(Marks const& own, index_t item, head_word* to) { own.mark(item, item, to); }
void mark(Marks const& own, index_t begin, index_t end, head_word* to) { own.mark(begin, end, to); }
template <class Marks>
requires requires(Marks const& own, index_t item) { own.read_for(item, item); }
memory_piece read_for(Marks const& own, index_t begin, index_t end) {
  return own.read_for(begin, end);
}

inline void mark(byte_mask const& mask, index_t begin, index_t end, head_word* to) {
  best_vector_heads().flags(mask.bytes + begin, end - begin, to);
}
inline memory_piece read_for(byte_mask const& mask, index_t begin, index_t end) {
  return {mask.bytes + begin, end - begin};
}

inline void mark(bit_mask const& mask, index_t begin, index_t end, head_word* to) {
  index_t const last = (end - 1) / 32;
  int const shift = static_cast<int>(begin % 32);
  for (index_t w = begin / 32; begin < end; begin += word_heads, w += 2) {
    head_word word = mask.words[w] >> shift;
    if (w + 1 <= last) word |= head_word{mask.words[w + 1]} << (32 - shift);
    if (shift != 0 && w + 2 <= last) word |= head_word{mask.words[w + 2]} << (64 - shift);
    index_t const beyond = word_heads - (end - begin);
    *to++ = beyond > 0 ? word & ~head_word{0} >> beyond : word;
  }
}
inline memory_piece read_for(bit_mask const& mask, index_t begin, index_t end) {
  return {mask.words + begin / 32, (end - begin) / 8};
}

/// Segments per item.
template <class Offset>
double density(segment_offsets<Offset> const& heads) {
  return static_cast<double>(heads.segments) / static_cast<double>(heads.begin_of(heads.segments));
}

/// The first segment that does not begin before `item`, 0 <= item <= n. Starts from the place that
/// segments of average length would give, twice, and searches from there in growing steps.
template <class Offset>
index_t first_from(segment_offsets<Offset> const& heads, index_t item) {
  index_t guess = 0;
  for (int round = 0; round < 3; ++round) {
    auto const away = static_cast<double>(item - heads.begin_of(guess));
    guess = std::clamp<index_t>(guess + static_cast<index_t>(away * detail::density(heads)), 0,
                                heads.segments);
  }
  // All before `low` are less than `item`, none from `high` on is.
  index_t low = guess, high = guess;
  for (index_t step = 4; low > 0 && heads.begin_of(low - 1) >= item; step *= 4) {
    high = low - 1;
    low = std::max<index_t>(0, low - step);
  }
  for (index_t step = 4; high < heads.segments && heads.begin_of(high) < item; step *= 4) {
    low = high + 1;
    high = std::min(heads.segments, high + step);
  }
  auto const is_less = [](Offset offset, index_t than) {
    return static_cast<index_t>(offset) < than;
  };
  return std::lower_bound(heads.offsets + low, heads.offsets + high, item, is_less) - heads.offsets;
}

template <class Offset>
void mark(segment_offsets<Offset> const& heads, index_t begin, index_t end, head_word* to) {
  index_t const segments = heads.segments;
  constexpr index_t capacity = 2048, dense = capacity / 4;
  constexpr bool by_vectors = sizeof(Offset) == 4 || sizeof(Offset) == 8;
  alignas(64) std::uint8_t flags[capacity];
  auto const& code = best_vector_heads();
  auto const mark_dense = sizeof(Offset) == 4 ? code.offsets_of_4_bytes : code.offsets_of_8_bytes;
  index_t s = detail::first_from(heads, begin);
  for (; begin < end; begin += capacity, to += capacity / word_heads) {
    index_t const items = std::min(capacity, end - begin);
    while (s != segments && heads.begin_of(s) < begin) ++s;
    if (s == segments || heads.begin_of(s) - begin >= items) {
      std::fill_n(to, ceil_div(items, word_heads), head_word{0});
    } else if (by_vectors && items == capacity && segments - s > dense &&
               heads.begin_of(s + dense) - begin < capacity) {
      s += mark_dense(heads.offsets + s, segments - s, begin, capacity / word_heads, to);
    } else {
      // Bytes first: if bits were set one by one, each would wait for the one before.
      std::fill_n(flags, items, std::uint8_t{0});
      for (; s != segments && heads.begin_of(s) - begin < items; ++s)
        flags[heads.begin_of(s) - begin] = 1;
      code.flags(flags, items, to);
    }
  }
}
template <class Offset>
memory_piece read_for(segment_offsets<Offset> const& heads, index_t begin, index_t end) {
  index_t const from = detail::first_from(heads, begin);
  // Their number, if the next segments are as long as the average.
  auto const likely =
      static_cast<index_t>(static_cast<double>(end - begin) * detail::density(heads));
  index_t const count = std::min(likely + 1, heads.segments - from);
  return {heads.offsets + from, count * static_cast<index_t>(sizeof(Offset))};
}

template <class Keys, class Equal>
void mark_changes(segment_keys<Keys, Equal> const& heads, index_t begin, index_t end,
                  head_word* to) {
  if constexpr (std::same_as<Equal, equal_values> && std::contiguous_iterator<Keys> &&
                detail::vector_key<std::iter_value_t<Keys>>) {
    detail::mark_changes(std::to_address(heads.keys + begin), end - begin, to);
  } else {
    // Bytes first, in a loop that compilers can vectorize. From local variables: compilers assume
    // that bytes may alias members.
    constexpr index_t capacity = 2048;
    std::uint8_t flags[capacity];
    Equal const same = heads.equal;
    for (; begin < end; begin += capacity, to += capacity / word_heads) {
      index_t const items = std::min(capacity, end - begin);
      Keys const from = heads.keys + begin;
      for (index_t k = 0; k < items; ++k) flags[k] = same(from[k - 1], from[k]) ? 0 : 1;
      detail::best_vector_heads().flags(flags, items, to);
    }
  }
}

template <class Keys, class Equal>
void mark(segment_keys<Keys, Equal> const& heads, index_t begin, index_t end, head_word* to) {
  if (begin > 0) return detail::mark_changes(heads, begin, end, to);
  // There is no key before item 0: the first word's items one by one.
  index_t const first = std::min(end, word_heads);
  detail::mark_one_by_one(first, to, [&](index_t i) {
    return i == 0 || !heads.equal(heads.keys[i - 1], heads.keys[i]);
  });
  if (end > first) detail::mark_changes(heads, first, end, to + 1);
}
template <class Keys, class Equal>
memory_piece read_for(segment_keys<Keys, Equal> const& heads, index_t begin, index_t end) {
  if constexpr (std::contiguous_iterator<Keys>) {
    constexpr auto size = static_cast<index_t>(sizeof(std::iter_value_t<Keys>));
    return {std::to_address(heads.keys + begin), (end - begin) * size};
  } else {
    return {};
  }
}

inline void mark(equal_segments const& all, index_t begin, index_t end, head_word* to) {
  index_t const length = all.length;
  // All head flags of a word, the first at its first item.
  head_word heads = 1;
  for (index_t items = length; items < word_heads; items *= 2) heads |= heads << items;
  index_t const step = word_heads % length;
  index_t const within = begin % length;
  index_t next = within == 0 ? 0 : length - within;  // the distance to the next head
  for (; begin < end; begin += word_heads) {
    head_word const word = next < word_heads ? heads << next : 0;
    index_t const beyond = word_heads - (end - begin);
    *to++ = beyond > 0 ? word & ~head_word{0} >> beyond : word;
    next -= step;
    if (next < 0) next += length;
  }
}

/// Segments of one length, or between offsets that have been checked; they cover all items.
template <class Offset>
struct segment_bounds {
  segment_offsets<Offset> offsets;  ///< not read if there is a length
  index_t length;  ///< of all segments, except that the last may be shorter; 0 if they differ
  index_t items;

  index_t segments() const { return offsets.segments; }
  index_t begin_of(index_t s) const {
    return length > 0 ? std::min(s * length, items) : offsets.begin_of(s);
  }

  /// Calls work(begin_of) with a function that need not choose each time.
  template <class Work>
  void with_begins(Work const& work) const {
    if (length > 0) {
      work([each = length, n = items](index_t s) { return std::min(s * each, n); });
    } else {
      work([from = offsets](index_t s) { return from.begin_of(s); });
    }
  }
};

template <class Offset>
index_t first_from(segment_bounds<Offset> const& heads, index_t item) {
  return heads.length > 0 ? ceil_div(item, heads.length) : detail::first_from(heads.offsets, item);
}
template <class Offset>
void mark(segment_bounds<Offset> const& heads, index_t begin, index_t end, head_word* to) {
  if (heads.length > 0) return detail::mark(equal_segments{heads.length}, begin, end, to);
  detail::mark(heads.offsets, begin, end, to);
}
template <class Offset>
memory_piece read_for(segment_bounds<Offset> const& heads, index_t begin, index_t end) {
  return heads.length > 0 ? memory_piece{} : detail::read_for(heads.offsets, begin, end);
}

}  // namespace detail

/// The requirements on a mask: it is one of libscan/core/segments.hpp, or mask.mark(begin, end, to)
/// sets bit k % 64 of to[k / 64] to whether item begin + k is true, for all items of [begin, end),
/// at least one, and the last word's further bits to 0. It is called concurrently.
template <class Mask>
concept item_marks = std::copy_constructible<Mask> &&
    requires(Mask const mask, index_t item, head_word* to) {
  detail::mark(mask, item, item, to);
};

/// The requirements on a description of segments: it marks the items at which a segment begins. Its
/// mark of item 0 does not matter: a segment always begins there. It may have
/// `heads.read_for`(begin, end): the memory that `mark` will read, for prefetching.
template <class Heads>
concept segment_heads = item_marks<Heads>;

namespace detail {

/// Whether `Heads` are offsets.
template <class Heads>
inline constexpr bool by_offsets = false;
template <class Offset>
inline constexpr bool by_offsets<segment_offsets<Offset>> = true;

/// Whether `Heads` tells where each segment begins, including empty ones.
template <class Heads>
inline constexpr bool by_bounds = false;
template <class Offset>
inline constexpr bool by_bounds<segment_bounds<Offset>> = true;

/// Whether `Heads` tells it at run time, or null.
template <class Heads>
concept may_have_bounds = requires(Heads const& heads) {
  { heads.bounds() } -> std::same_as<segment_bounds<index_t> const*>;
};

/// Where each segment begins, if `heads` tells it; else null.
template <class Heads>
auto bounds_of(Heads const& heads) {
  if constexpr (by_bounds<Heads>) {
    return &heads;
  } else if constexpr (may_have_bounds<Heads>) {
    return heads.bounds();
  } else {
    return nullptr;
  }
}

/// The memory of the description of n items.
inline memory_span memory_of(byte_mask const& mask, index_t n) { return memory_of(mask.bytes, n); }
inline memory_span memory_of(bit_mask const& mask, index_t n) {
  return memory_of(mask.words, ceil_div(n, index_t{32}));
}
template <class Offset>
memory_span memory_of(segment_offsets<Offset> const& heads, index_t) {
  return detail::memory_of(heads.offsets, heads.segments + 1);
}
template <class Keys, class Equal>
memory_span memory_of(segment_keys<Keys, Equal> const& heads, index_t n) {
  return detail::memory_of(heads.keys, n);
}

/// Throws `invalid_argument` unless this describes segments of n items. Returns the form of it that
/// the engine reads, which may refer to `heads`.
template <class Heads>
Heads const& check_heads(char const*, int, Heads const& heads, index_t) {
  return heads;
}
template <class Offset>
segment_bounds<Offset> check_heads(char const* call, int threads,
                                   segment_offsets<Offset> const& heads, index_t n) {
  if (heads.segments == 0 && n == 0) return {heads, 0, 0};
  if (heads.segments >= 0) libscan::detail::require_aligned(heads.offsets);
  if (heads.segments < 0 || heads.begin_of(0) != 0 || heads.begin_of(heads.segments) != n) {
    throw invalid_argument(std::string(call) + ": offsets from 0 to " + std::to_string(n) +
                           " expected, for " + std::to_string(heads.segments) + " segments");
  }
  index_t const length = detail::check_offsets(call, threads, heads.offsets, heads.segments, n);
  return {heads, length, n};
}
inline segment_bounds<index_t> check_heads(char const* call, int, equal_segments const& heads,
                                           index_t n) {
  if (heads.length <= 0) {
    throw invalid_argument(std::string(call) + ": length of segments is " +
                           std::to_string(heads.length) + "; expected > 0");
  }
  return {{nullptr, ceil_div(n, heads.length)}, heads.length, n};
}

/// Whether item i of some marked items begins a segment.
inline bool is_head(head_word const* heads, index_t i) {
  return (heads[i / word_heads] >> (i % word_heads) & 1) != 0;
}

/// The bits of a word in reverse.
inline head_word reverse_bits(head_word x) {
  auto const swap = [&](int by, head_word low) { x = (x >> by & low) | (x & low) << by; };
  swap(1, 0x5555555555555555u);
  swap(2, 0x3333333333333333u);
  swap(4, 0x0f0f0f0f0f0f0f0fu);
  swap(8, 0x00ff00ff00ff00ffu);
  swap(16, 0x0000ffff0000ffffu);
  swap(32, 0x00000000ffffffffu);
  return x;
}

/// The first n bits of some words in reverse; those after them are 0 and stay so.
inline void reverse_bits(head_word* words, index_t n) {
  index_t const count = ceil_div(n, word_heads);
  int const beyond = static_cast<int>(count * word_heads - n);
  std::reverse(words, words + count);
  for (index_t w = 0; w < count; ++w) words[w] = reverse_bits(words[w]);
  if (beyond == 0) return;
  for (index_t w = 0; w < count; ++w) {
    head_word const next = w + 1 < count ? words[w + 1] << (word_heads - beyond) : 0;
    words[w] = words[w] >> beyond | next;
  }
}

}  // namespace detail

/// The head flags at a scan's positions [begin, end): that of begin + k is bit k % 64 of to[k /
/// 64]; the last word's further bits are 0. Forwards position p is item p of n. In reverse it is
/// item n - 1
/// - p; a segment that begins there ends there forwards, so its head is that of the item after it.
/// Position 0 is always a head.
template <segment_heads Heads>
void mark_positions(Heads const& heads, scan_direction direction, index_t n, index_t begin,
                    index_t end, head_word* to) {
  if (begin >= end) return;
  if (direction == scan_direction::forward) {
    detail::mark(heads, begin, end, to);
  } else {
    // There is no item n to mark.
    index_t const from = n - end + 1, until = std::min(n - begin + 1, n);
    to[(end - begin - 1) / word_heads] = 0;
    if (from < until) detail::mark(heads, from, until, to);
    detail::reverse_bits(to, end - begin);
  }
  if (begin == 0) to[0] |= 1;
}

}  // namespace libscan::inline v1::cpu
