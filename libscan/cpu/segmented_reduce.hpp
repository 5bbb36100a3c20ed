// SPDX-License-Identifier: Apache-2.0
// Totals of segments on CPU threads. Each chunk is scanned as segmented_scan.hpp scans it, but into
// the thread's own cache, and what stands at the last item of each segment is its total: so the cost
// is the same whatever the segments' lengths.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <iterator>
#include <memory>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segmented_scan.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// What chunks hand on: how many segments have ended, and what follows the last head.
template <class T>
struct ended_segments {
  index_t ended;
  flagged<T> rest;
};

/// Adds them up; later behind earlier.
template <class Op>
struct follow_segments {
  using value_type = ended_segments<typename Op::value_type>;
  segmented<Op> within;

  value_type identity() const { return {0, within.identity()}; }
  value_type operator()(value_type const& earlier, value_type const& later) const {
    return {earlier.ended + later.ended, within(earlier.rest, later.rest)};
  }
};

/// A chunk's items and heads, and its tails: bit i is 1 where a segment ends with the i-th item.
template <class T>
struct reduced_stage : segmented_stage<T> {
  std::unique_ptr<head_word[]> tails;

  reduced_stage(index_t items, flagged<T> any)
      : segmented_stage<T>(items + 1, any),
        tails(std::make_unique_for_overwrite<head_word[]>(
            static_cast<std::size_t>(ceil_div(items, word_heads)))) {}

  /// Marks the heads and tails of chunk `c` of n items; returns how many tails there are.
  template <class Heads>
  index_t mark(Heads const& descriptor, chunk const& c, index_t n) {
    head_word* const heads = this->heads.get();
    index_t const size = c.size(), words = ceil_div(size, word_heads);
    bool const last = c.end == n;
    // With the item behind, whose head is this chunk's tail.
    mark_positions(descriptor, scan_direction::forward, n, c.begin, last ? n : c.end + 1, heads);
    index_t count = 0;
    for (index_t w = 0; w < words; ++w) {
      bool const more = (w + 1) * word_heads < size + (last ? 0 : 1);
      tails[w] = heads[w] >> 1 | (more ? heads[w + 1] << (word_heads - 1) : 0);
      if (last && w == words - 1) tails[w] |= head_word{1} << (size - 1) % word_heads;
      count += std::popcount(tails[w]);
    }
    if (size % word_heads != 0) heads[words - 1] &= ~(~head_word{0} << size % word_heads);
    return count;
  }
};

/// Calls at(i) for each i of [0, n) whose bit is 1, in order.
template <class At>
void for_each_bit(head_word const* words, index_t n, At at) {
  for (index_t i = 0; i < n; i += word_heads) {
    for (head_word word = *words++; word != 0; word &= word - 1) at(i + std::countr_zero(word));
  }
}

/// Scans all segments, a chunk at a time, and calls take(stage, chunk, scanned, ended) for each
/// chunk: scanned[i] is what item i of the chunk and those before it in its segment sum to, behind
/// `init`; `ended` says how many segments ended before the chunk. Returns how many there are.
template <class In, class Heads, monoid Op, class Take>
index_t scan_for_totals(int threads, In in, Heads const& heads, index_t n, Op op,
                        typename Op::value_type init, index_t chunk_items, Take take) {
  using T = typename Op::value_type;
  using stage = reduced_stage<T>;
  using carried = ended_segments<T>;
  iterated_items<T, In> const source{in};
  follow_segments<Op> const follow{{op}};
  auto const total = run_chunks(
      threads, n, chunk_items, follow, carried{0, {init, false}},
      [&] { return stage(std::min(n, chunk_items), follow.within.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = fetch(source, scan_direction::forward, n, c, here.room.get());
        index_t const ended = here.mark(heads, c, n);
        return carried{ended, sum_segments(here, c.size(), op, init)};
      },
      [&](stage& here, chunk const& c, carried const& carry) {
        chunk_memory ahead;
        if (vectorised<Op> && c.next_begin < c.next_end) {
          ahead =
              memory_of<T>(source, heads, scan_direction::forward, n, c.next_begin, c.next_end);
        }
        T* const scanned = here.room.get();
        scan_segments<scan_kind::inclusive>(here, scanned, c.size(), op, carry.rest, init,
                                            store_road::cached, ahead);
        take(here, c, scanned, carry.ended);
      });
  return total.ended;
}

}  // namespace detail

/// totals[s] = init op the items of segment s, in order, on up to `threads` threads. Returns how
/// many segments there are.
///
/// `in` is a random-access iterator or pointer; items are converted to Op::value_type. `heads` says
/// where segments begin, and none of them is empty; `totals` is a random-access iterator or pointer
/// with room for a result of each, and overlaps nothing. Operator, repeatability and errors are
/// those of `segmented_scan`. Reads n items and the description, writes a result per segment;
/// allocates one chunk a thread.
template <std::random_access_iterator In, segment_heads Heads, std::random_access_iterator Totals,
          monoid Op>
index_t segmented_reduce(int threads, In in, Heads const& heads, Totals totals, index_t n, Op op,
                         std::type_identity_t<typename Op::value_type> init = Op::identity(),
                         index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  return detail::scan_for_totals(
      threads, in, heads, n, op, init, chunk_items,
      [&](auto const& stage, chunk const& c, T const* scanned, index_t ended) {
        auto to = totals + ended;
        detail::for_each_bit(stage.tails.get(), c.size(), [&](index_t i) { *to++ = scanned[i]; });
      });
}

/// The same between offsets: every segment gets a total, `init` if it is empty. Returns how many
/// segments there are.
template <std::random_access_iterator In, std::random_access_iterator Totals, monoid Op>
index_t segmented_reduce(int threads, In in, segment_offsets const& heads, Totals totals, index_t n,
                         Op op, std::type_identity_t<typename Op::value_type> init = Op::identity(),
                         index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  index_t const segments = heads.segments;
  index_t const* const ends = heads.offsets + 1;
  // A chunk writes the segments that end in it, and those that are empty behind them.
  detail::scan_for_totals(
      threads, in, heads, n, op, init, chunk_items,
      [&](auto const&, chunk const& c, T const* scanned, index_t) {
        index_t const* const first =
            c.begin == 0 ? ends : std::upper_bound(ends, ends + segments, c.begin);
        index_t begin = first[-1];
        for (index_t s = first - ends; s < segments && ends[s] <= c.end; ++s) {
          index_t const end = ends[s];
          totals[s] = begin == end ? init : scanned[end - 1 - c.begin];
          begin = end;
        }
      });
  if (n == 0) std::fill_n(totals, segments, init);
  return segments;
}

/// Every run of keys that equal (==) the one before becomes one: unique[s] = the first key of run
/// s, totals[s] = init op the items of run s. Returns how many runs there are. `unique` and `totals`
/// need room for as many results, n at most. Otherwise as `segmented_reduce` with `segment_keys`.
template <class Key, std::random_access_iterator In, std::random_access_iterator Unique,
          std::random_access_iterator Totals, monoid Op>
index_t reduce_by_key(int threads, Key const* keys, In in, Unique unique, Totals totals, index_t n,
                      Op op, std::type_identity_t<typename Op::value_type> init = Op::identity(),
                      index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  return detail::scan_for_totals(
      threads, in, segment_keys<Key>{keys}, n, op, init, chunk_items,
      [&](auto const& stage, chunk const& c, T const* scanned, index_t ended) {
        auto to = totals + ended;
        detail::for_each_bit(stage.tails.get(), c.size(), [&](index_t i) { *to++ = scanned[i]; });
        // A segment that is under way as the chunk begins has its key already.
        auto key_to = unique + ended + (detail::is_head(stage.heads.get(), 0) ? 0 : 1);
        detail::for_each_bit(stage.heads.get(), c.size(),
                             [&](index_t i) { *key_to++ = keys[c.begin + i]; });
      });
}

}  // namespace libscan::inline v1::cpu
