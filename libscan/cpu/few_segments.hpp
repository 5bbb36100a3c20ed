// SPDX-License-Identifier: Apache-2.0
// Segments of so few items that chunks and carries would take longer than the work: plain loops on
// the caller's thread, one segment after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <span>  // and so std::iterator_traits: <iterator> also has streams

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/small_buffer.hpp>

namespace libscan::inline v1::cpu::detail {

/// The number of items, over all segments, that counts as few.
inline constexpr index_t few_segmented_items = index_t{1} << 11;

/// Whether n items are few and need not be split into chunks; throws as `run_chunks`.
inline bool few_for_segments(int threads, index_t n, index_t chunk_items) {
  check_chunks(threads, n, chunk_items);
  return n <= std::min(chunk_items, few_segmented_items);
}

/// The head flags of the segments of few items, in the order of a scan.
struct few_heads {
  head_word words[few_segmented_items / word_heads];
  index_t n;
  index_t count = 0;

  template <segment_heads Heads>
  few_heads(Heads const& heads, scan_direction direction, index_t items) : n(items) {
    cpu::mark_positions(heads, direction, n, 0, n, words);
    for (index_t w = 0; w < ceil_div(n, word_heads); ++w) count += std::popcount(words[w]);
  }

  /// Whether segments are so short that a loop for each would take longer than a check of each
  /// item.
  bool dense() const { return count * 8 > n; }
};

/// Calls work(begin, end) for each segment, in order.
template <class Work>
void for_each_segment(few_heads const& heads, Work work) {
  index_t begin = 0;
  for (index_t w = 0; w < ceil_div(heads.n, word_heads); ++w) {
    // The first item is not an end.
    for (head_word word = heads.words[w] & ~head_word{w == 0}; word != 0; word &= word - 1) {
      index_t const end = w * word_heads + std::countr_zero(word);
      work(begin, end);
      begin = end;
    }
  }
  if (heads.n > 0) work(begin, heads.n);
}
template <class Offset, class Work>
void for_each_segment(segment_bounds<Offset> const& heads, Work work) {
  for (index_t s = 0; s < heads.segments(); ++s) work(heads.begin_of(s), heads.begin_of(s + 1));
}

/// Scans the segments of few items into `out`, which may be `in`; both are in the order of the
/// scan.
template <scan_kind Kind, class T, class In, class Out, class Op>
void scan_few(In in, Out out, few_heads const& heads, Op op, T init) {
  if (!heads.dense()) {
    // By value: otherwise a store might alias a captured reference.
    return detail::for_each_segment(heads, [=](index_t begin, index_t end) {
      detail::scan_serially<Kind>(init, in, out, begin, end, op);
    });
  }
  T x = init;
  for (index_t i = 0; i < heads.n; ++i) {
    T const before = is_head(heads.words, i) ? init : x;
    x = op(before, in[i]);
    out[i] = Kind == scan_kind::inclusive ? x : before;
  }
}

/// Scans segments of few items in[0..n-1] into out[0..n-1], which may be `in`.
template <scan_kind Kind, class T, segment_heads Heads, class Op>
void scan_few_segments(scan_direction direction, T const* in, Heads const& heads, T* out, index_t n,
                       Op op, T init) {
  bool const forward = direction == scan_direction::forward;
  std::reverse_iterator const from_last(in + n);
  std::reverse_iterator const to_last(out + n);
  if constexpr (by_bounds<Heads>) {
    detail::for_each_segment(heads, [&](index_t begin, index_t end) {
      if (forward) {
        detail::scan_serially<Kind>(init, in, out, begin, end, op);
      } else {
        detail::scan_serially<Kind>(init, from_last, to_last, n - end, n - begin, op);
      }
    });
  } else {
    few_heads const begins(heads, direction, n);
    forward ? detail::scan_few<Kind>(in, out, begins, op, init)
            : detail::scan_few<Kind>(from_last, to_last, begins, op, init);
  }
}

/// init op the items [begin, end) of `in`.
template <class T, class In, class Op>
T sum_of_few(In in, index_t begin, index_t end, Op op, T init) {
  // Items for which calling other code pays off: compilers do not vectorize sums of floats.
  constexpr index_t many = std::integral<T> && sizeof(T) == 4 ? 256 : 48;
  if (end - begin < many) return detail::append(init, in, begin, end, op);
  stream_values<T> sums = detail::all_streams(init);
  return op(init, chunk_code<In, T*, Op>::sum(in + begin, end - begin, op, sums));
}

/// Calls take(s, begin, total) for each segment s of few items, which starts at item `begin`;
/// perhaps more than once, the last time with the final total. Returns the number of segments.
template <class In, segment_heads Heads, class Op, class Take>
index_t sum_few_segments(In in, Heads const& heads, index_t n, Op op, typename Op::value_type init,
                         Take take) {
  using T = typename Op::value_type;
  index_t segment = 0;
  auto const sum_each = [&](auto const& begins) {
    detail::for_each_segment(begins, [&](index_t begin, index_t end) {
      take(segment++, begin, detail::sum_of_few(in, begin, end, op, init));
    });
  };
  if constexpr (by_bounds<Heads>) {
    sum_each(heads);
  } else {
    few_heads const begins(heads, scan_direction::forward, n);
    if (!begins.dense()) {
      sum_each(begins);
      return segment;
    }
    T x = init;
    index_t begin = 0;
    for (index_t i = 0; i < n; ++i) {
      bool const head = is_head(begins.words, i);
      segment += head ? 1 : 0;
      begin = head ? i : begin;
      x = op(head ? init : x, static_cast<T>(in[i]));
      take(segment - 1, begin, x);
    }
  }
  return segment;
}

}  // namespace libscan::inline v1::cpu::detail
