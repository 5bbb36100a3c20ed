// SPDX-License-Identifier: Apache-2.0
// Segments that are processed one by one, each in a loop of its own: where that takes less time
// than the code for segments of any lengths. For floats this depends only on where segments begin
// in a chunk: they are rounded the same by any number of threads, on any processor, and in scans of
// a piece as in scans of all items.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <type_traits>

#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/few_segments.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// Whether loops over segments of T ever take less time than vector code, apart from sums of long
/// segments.
template <class T>
inline constexpr bool worth_loops = sizeof(T) >= 4;

/// Whether this processor has vectors of more than 32 bytes, for which loops are chosen later. No
/// floats: their rounding must not depend on the processor.
template <class T>
bool has_long_vectors() {
  return std::integral<T> && best_vector_heads().vector_bytes > 32;
}

/// Whether segments of T, `items` items in all, are so long that each is summed in a loop. Others
/// are scanned, which takes the same time for any lengths. As measured with AVX2 on an AMD EPYC and
/// with AVX-512 on an Intel Xeon. For doubles a compromise: loops take less time than AVX2 from 12
/// items on, than AVX-512 from 35 on.
template <class T>
bool summed_in_loops(index_t segments, index_t items) {
  index_t mean = 16;
  if (sizeof(T) < 8) mean = has_long_vectors<T>() ? 40 : 24;
  if (!worth_loops<T>) mean = 256;
  return segments * mean <= items;
}

/// Whether each is scanned in a loop. Vector code takes less time for shorter segments and for
/// longer ones, and for longer floats earlier, since each addition waits for the one before.
template <class T>
bool scanned_in_loops(index_t segments, index_t items) {
  bool const wide = sizeof(T) >= 8;
  index_t const from = wide ? 16 : has_long_vectors<T>() ? 300 : 28;
  index_t const to = std::integral<T> ? 1000 : wide ? 130 : 90;
  return segments * from <= items && items <= segments * to;
}

/// The lengths of segments that take less time in loops if all have the same: processors predict
/// where such loops end.
template <class T>
struct predictable_lengths {
  static constexpr index_t summed_from = 1;
  static constexpr index_t scanned_from = sizeof(T) < 8 ? 3 : 2;
  static constexpr index_t to = 31;
};

/// The length of all segments between offsets [begin, end), if it is one from `from` to `to`; else
/// 0. If a whole segmentation has one length, no offset is read.
template <class Offset>
index_t one_length(segment_bounds<Offset> const& bounds, index_t begin, index_t end, index_t from,
                   index_t to) {
  if (end - begin < 3) return 0;
  auto const of = [&](index_t s) { return bounds.begin_of(s) - bounds.begin_of(s - 1); };
  index_t const length = bounds.length > 0 ? bounds.length : of(begin + 1);
  if (length < from || length > to) return 0;
  if (bounds.length > 0) return length;
  Offset const* const offsets = bounds.offsets.offsets;
  // So many at a time, and without a comparison, that compilers vectorize the loop.
  for (index_t s = begin + 2; s < end; s += word_heads) {
    index_t differ = 0;
    for (index_t k = s; k < std::min(s + word_heads, end); ++k) {
      differ |= (static_cast<index_t>(offsets[k]) - static_cast<index_t>(offsets[k - 1])) ^ length;
    }
    if (differ != 0) return 0;
  }
  return length;
}

/// The number of segments that begin at offsets [begin, end) and hold items, if as many of all are
/// empty as of the first 64.
template <class Offset>
index_t likely_nonempty(segment_bounds<Offset> const& bounds, index_t begin, index_t end) {
  index_t const sample = std::min(end - begin, word_heads);
  if (bounds.length > 0 || sample < 2) return end - begin;
  Offset const* const offsets = bounds.offsets.offsets + begin;
  index_t empty = 0;
  for (index_t s = 1; s < sample; ++s) empty += offsets[s] == offsets[s - 1] ? 1 : 0;
  return (end - begin) - (end - begin) * empty / sample;
}

/// The length of all segments of n items of 8 bytes that are marked, if it is one from 4 on and
/// predictable; else 0. The first and the last may be shorter. Whether a segment begins with the
/// first item makes no difference: scans of a piece and of all items do the same.
inline index_t one_length(head_word const* heads, index_t n) {
  head_word const from_second = heads[0] & ~head_word{1};
  head_word const later = from_second & (from_second - 1);
  if (later == 0) return 0;
  index_t const first = std::countr_zero(from_second);
  index_t const length = std::countr_zero(later) - first;
  if (length < 4 || length > predictable_lengths<double>::to || first > length) return 0;
  constexpr index_t words = 16;
  head_word expected[words];
  index_t const begin = length - first;  // of the first segment to the first item
  for (index_t i = 0; i < n; i += words * word_heads) {
    index_t const items = std::min(n - i, words * word_heads);
    detail::mark(equal_segments{length}, begin + i, begin + i + items, expected);
    if (i == 0) expected[0] = (expected[0] & ~head_word{1}) | (heads[0] & 1);
    if (!std::equal(expected, expected + ceil_div(items, word_heads), heads + i / word_heads)) {
      return 0;
    }
  }
  return length;
}

/// Calls work(length), a constant if it is so small that compilers unroll loops over it.
template <class Work>
void with_length(index_t length, Work const& work) {
  switch (length) {
    case 1:
      return work(std::integral_constant<index_t, 1>{});
    case 2:
      return work(std::integral_constant<index_t, 2>{});
    case 3:
      return work(std::integral_constant<index_t, 3>{});
    case 4:
      return work(std::integral_constant<index_t, 4>{});
    default:
      return work(length);
  }
}

/// init op the items [begin, begin + length) of `in`. Sums of floats, which compilers do not
/// vectorize, take a few items at a time: the loop's overhead would be much of the work.
template <class T, class Length, class Op>
T sum_of_length(T const* in, index_t begin, Length length, Op op, T init) {
  constexpr index_t at_once = 4;
  T x = init;
  index_t i = 0;
  if constexpr (std::floating_point<T> && std::same_as<Length, index_t>) {
    if (length >= 2 * at_once) {
      for (; i + at_once <= length; i += at_once) {
        for (index_t k = i; k < i + at_once; ++k) x = op(x, in[begin + k]);
      }
    }
  }
  for (; i < length; ++i) x = op(x, in[begin + i]);
  return x;
}

/// in[0] op ... op in[items - 1], items >= 1; `any` is any value.
template <class T, class Op>
T sum_items(T const* in, index_t items, Op op, T any) {
  stream_values<T> sums = detail::all_streams(any);
  return chunk_code<T const*, T*, Op>::sum(in, items, op, sums);
}

/// The segments of a chunk.
struct chunk_segments {
  index_t begin = 0, end = 0;
  index_t length = 0;  ///< of all except those at the ends, if it is one and predictable; else 0
  bool one_by_one = false;  ///< whether each is processed in a loop of its own
};

// Totals of the segments that end in a chunk, one by one. They are [begin, end) of
// `chunk_segments`: the first is the one that holds the chunk's first item, or the first of all.

/// The segments of T that end in chunk `c`, and empty ones at its end.
template <class T, class Offset>
chunk_segments find_ended(segment_bounds<Offset> const& bounds, chunk const& c) {
  auto const last_from = [&](index_t item) { return detail::first_from(bounds, item + 1) - 1; };
  using lengths = predictable_lengths<T>;
  chunk_segments ended;
  ended.begin = c.begin == 0 ? 0 : last_from(c.begin);
  bool const last = c.end == bounds.items;
  ended.end = last ? bounds.segments() : last_from(c.end);
  if constexpr (worth_loops<T>) {
    // The last segment of all may be shorter.
    ended.length = detail::one_length(bounds, ended.begin + 1, ended.end + (last ? 0 : 1),
                                      lengths::summed_from, lengths::to);
  }
  index_t const segments = detail::likely_nonempty(bounds, ended.begin, ended.end);
  ended.one_by_one = ended.length > 0 || detail::summed_in_loops<T>(segments, c.size());
  return ended;
}

/// What the items `in` of chunk `c` pass on: the sum after the last segment that ends in it.
template <class T, class Offset, class Op>
flagged<T> sum_after_ended(segment_bounds<Offset> const& bounds, chunk_segments const& ended,
                           chunk const& c, T const* in, Op op, T init) {
  index_t const begin = bounds.begin_of(ended.end);
  if (begin == c.end) return {init, true};  // the next chunk begins with a segment
  bool const begins = begin >= c.begin;
  index_t const from = begins ? begin - c.begin : 0;
  T const sum = detail::sum_items(in + from, c.size() - from, op, init);
  return {begins ? op(init, sum) : sum, begins};
}

/// totals[s] = init op the items of each segment s that ends in chunk `c`, of items `in`; the first
/// with `carry`, if it begins before the chunk.
template <class T, class Offset, class Op, class Totals>
void sum_ended(segment_bounds<Offset> const& bounds, chunk_segments const& ended, chunk const& c,
               T const* in, Op op, T carry, T init, Totals totals) {
  if (ended.begin == ended.end) return;
  bounds.with_begins([&](auto begin_of) {
    index_t s = ended.begin, begin = begin_of(s) - c.begin;
    auto const sum_next = [&](T before) {
      index_t const end = begin_of(s + 1) - c.begin;
      totals[s++] = detail::sum_of_few(in, std::max<index_t>(begin, 0), end, op, before);
      begin = end;
    };
    sum_next(begin < 0 ? carry : init);
    if constexpr (worth_loops<T>) {
      if (ended.length > 0) {
        index_t const last = ended.end - 1, length = ended.length;
        // By value: otherwise a total might alias a captured reference.
        detail::with_length(length, [=](auto each) {
          index_t from = begin;
          for (index_t k = s; k < last; ++k, from += each) {
            totals[k] = detail::sum_of_length(in, from, each, op, init);
          }
        });
        begin += (last - s) * length;
        s = last;
      }
    }
    while (s < ended.end) sum_next(init);
  });
}

// Scans of the segments of a chunk, one by one. [begin, end) of `chunk_segments` are those that
// begin at its positions after the first, in the order of the scan; `length` is from each begin to
// the next.

/// The segments of T that begin in chunk `c`, after its first position.
template <class T, class Offset>
chunk_segments find_begun(segment_bounds<Offset> const& bounds, scan_direction direction,
                          chunk const& c) {
  bool const forward = direction == scan_direction::forward;
  index_t const n = bounds.items;
  using lengths = predictable_lengths<T>;
  chunk_segments begun;
  begun.begin = detail::first_from(bounds, (forward ? c.begin : n - c.end) + 1);
  begun.end = detail::first_from(bounds, forward ? c.end : n - c.begin);
  begun.length =
      detail::one_length(bounds, begun.begin, begun.end, lengths::scanned_from, lengths::to);
  index_t const segments = detail::likely_nonempty(bounds, begun.begin, begun.end) + 1;
  begun.one_by_one = begun.length > 0 || detail::scanned_in_loops<T>(segments, c.size());
  return begun;
}

/// Whether a segment begins with the first position of chunk `c`; any answer if that is the first
/// of all.
template <class Offset>
bool begins_with(segment_bounds<Offset> const& bounds, scan_direction direction,
                 chunk_segments const& begun, chunk const& c) {
  if (c.begin == 0) return false;
  return direction == scan_direction::forward
             ? bounds.begin_of(begun.begin - 1) == c.begin
             : bounds.begin_of(begun.end) == bounds.items - c.begin;
}

/// The position in chunk `c` at which the k-th of the segments begins.
template <class Offset>
index_t begin_in(segment_bounds<Offset> const& bounds, scan_direction direction,
                 chunk_segments const& begun, chunk const& c, index_t k) {
  return direction == scan_direction::forward
             ? bounds.begin_of(begun.begin + k) - c.begin
             : bounds.items - c.begin - bounds.begin_of(begun.end - 1 - k);
}

/// What the items `in` of chunk `c` pass on: the sum after the last begin, with `init` before it.
template <class T, class Offset, class Op>
flagged<T> sum_after_begun(segment_bounds<Offset> const& bounds, scan_direction direction,
                           chunk_segments const& begun, chunk const& c, T const* in, Op op,
                           T init) {
  index_t const count = begun.end - begun.begin;
  index_t const from = count == 0 ? 0 : detail::begin_in(bounds, direction, begun, c, count - 1);
  bool const begins = count > 0 || detail::begins_with(bounds, direction, begun, c);
  T const sum = detail::sum_items(in + from, c.size() - from, op, init);
  return {begins ? op(init, sum) : sum, begins};
}

/// Scans the items `in` of chunk `c` into `to`, a segment after the other.
template <scan_kind Kind, class T, class Offset, class Op>
void scan_begun(segment_bounds<Offset> const& bounds, scan_direction direction,
                chunk_segments const& begun, chunk const& c, T const* in, T* to, Op op, T carry,
                T init) {
  index_t const items = c.size(), count = begun.end - begun.begin;
  auto const begin_of = [&](index_t k) {
    return k < count ? detail::begin_in(bounds, direction, begun, c, k) : items;
  };
  index_t begin = begin_of(0);
  T const first = detail::begins_with(bounds, direction, begun, c) ? init : carry;
  detail::scan_serially<Kind>(first, in, to, 0, begin, op);
  if (begun.length > 0) {
    index_t const last = begin + (count - 1) * begun.length;  // which may be longer
    detail::with_length(begun.length, [=](auto each) {
      for (index_t from = begin; from < last; from += each) {
        detail::scan_serially<Kind>(init, in, to, from, from + each, op);
      }
    });
    detail::scan_serially<Kind>(init, in, to, last, items, op);
    return;
  }
  for (index_t k = 1; k <= count; ++k) {
    index_t const end = begin_of(k);
    detail::scan_serially<Kind>(init, in, to, begin, end, op);
    begin = end;
  }
}

}  // namespace libscan::inline v1::cpu::detail
