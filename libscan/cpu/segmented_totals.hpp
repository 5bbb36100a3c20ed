// SPDX-License-Identifier: Apache-2.0
// Totals of segments, chunk by chunk. Each chunk is scanned as in segmented_scan.hpp, but into the
// thread's own cache; the result at the last item of each segment is its total, so short segments
// cost no more than long ones. If few segments end in a chunk, they are summed instead.
#pragma once

#include <algorithm>
#include <bit>

#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/segment_heads.hpp>
#include <libscan/cpu/segmented_chunks.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu::detail {

/// What a chunk passes on: the number of segments that have ended, and the sum after the last head.
template <class T>
struct ended_segments {
  index_t ended;
  flagged<T> rest;
};

/// Adds them up, the later after the earlier.
template <class Op>
struct follow_segments {
  using value_type = ended_segments<typename Op::value_type>;
  segmented<Op> within;

  value_type identity() const { return {0, within.identity()}; }
  value_type operator()(value_type const& earlier, value_type const& later) const {
    return {earlier.ended + later.ended, within(earlier.rest, later.rest)};
  }
};

/// A chunk's items and head flags, and its tails: bit i is 1 if a segment ends with the i-th item.
template <class T>
struct reduced_stage : segmented_stage<T> {
  head_buffer tails;
  index_t ended = 0;  ///< the number of tails

  reduced_stage(index_t items, flagged<T> any)
      : segmented_stage<T>(items + 1, any), tails(ceil_div(items, word_heads)) {}

  /// Marks the head flags and tails of chunk `c` of n items.
  void mark(segmented_input<T> const& in, chunk const& c, index_t n) {
    head_word* const heads = this->heads.data();
    index_t const size = c.size(), words = ceil_div(size, word_heads);
    bool const last = c.end == n;
    // Including the next item, whose head is this chunk's tail.
    in.mark(in.self, c.begin, last ? n : c.end + 1, heads);
    ended = 0;
    for (index_t w = 0; w < words; ++w) {
      bool const more = (w + 1) * word_heads < size + (last ? 0 : 1);
      tails[w] = heads[w] >> 1 | (more ? heads[w + 1] << (word_heads - 1) : 0);
      if (last && w == words - 1) tails[w] |= head_word{1} << (size - 1) % word_heads;
      ended += std::popcount(tails[w]);
    }
    if (size % word_heads != 0) heads[words - 1] &= ~(~head_word{0} << size % word_heads);
  }
};

/// to[k] = items[i] for the k-th i of [0, n) whose bit is 1.
template <class Items, class To>
void pick(head_word const* words, index_t n, Items items, To to) {
  for (index_t i = 0; i < n; i += word_heads) {
    head_word word = *words++;
    if (word == ~head_word{0}) {
      for (index_t k = 0; k < word_heads; ++k) to[k] = items[i + k];
      to += word_heads;
      continue;
    }
    for (; word != 0; word &= word - 1) *to++ = items[i + std::countr_zero(word)];
  }
}

/// Sets sums[i] to the result of `scan_segments` for each item i of chunk `here` that is the last
/// of its segment; floats are rounded in another order.
template <class T, class Op>
void sum_to_tails(reduced_stage<T> const& here, T* sums, index_t items, Op op, T carry, T init) {
  auto const& code = detail::vector_scan_of<T>(op);
  bool begun = !detail::is_head(here.heads.data(), 0);
  index_t from = 0;
  for (index_t w = 0; w < ceil_div(items, word_heads); ++w) {
    for (head_word word = here.tails[w]; word != 0; word &= word - 1) {
      index_t const tail = w * word_heads + std::countr_zero(word);
      // A summed item may be overwritten: `sums` may be the items.
      T const sum = code.sum(here.items + from, tail + 1 - from);
      sums[tail] = op(begun ? carry : init, sum);
      begun = false;
      from = tail + 1;
    }
  }
}

/// One segment per so many items may end in a chunk whose segments are summed one by one.
inline constexpr index_t summed_items = 256;

/// What takes the totals of chunk `c`: sums[i] is that of the segment that ends with item i of the
/// chunk; `ended` says how many segments ended before the chunk.
template <class T>
struct totals_taker {
  void* self;
  void (*take)(void* self, reduced_stage<T> const& stage, chunk const& c, T const* sums,
               index_t ended);
};

/// Finds the totals of all segments, a chunk at a time. Returns how many segments there are.
/// Compiled for the operator alone.
template <monoid Op, class T = typename Op::value_type>
index_t find_totals(int threads, segmented_input<T> const& in, index_t n, Op op, T init,
                    index_t chunk_items, totals_taker<T> const& taker) {
  using stage = reduced_stage<T>;
  using carried = ended_segments<T>;
  follow_segments<Op> const follow{{op}};
  auto const total = cpu::run_chunks(
      threads, n, chunk_items, follow, carried{0, {init, false}},
      [&] { return stage(std::min(n, chunk_items), follow.within.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = in.fetch(in.self, c, here.room.data());
        here.mark(in, c, n);
        return carried{here.ended, detail::sum_segments(here, c.size(), op, init)};
      },
      [&](stage& here, chunk const& c, carried const& carry) {
        T* const sums = here.room.data();
        if constexpr (vectorized<Op>) {
          if (here.ended * summed_items <= c.size()) {
            detail::sum_to_tails(here, sums, c.size(), op, carry.rest.value, init);
            return taker.take(taker.self, here, c, sums, carry.ended);
          }
        }
        chunk_memory ahead;
        if (vectorized<Op> && c.next_begin < c.next_end) ahead = in.next(in.self, c);
        detail::scan_segments<scan_kind::inclusive>(here, sums, c.size(), op, carry.rest, init,
                                                    store_policy::cached, ahead);
        taker.take(taker.self, here, c, sums, carry.ended);
      },
      aggregates::repeatable);
  return total.ended;
}

/// The same, with take(stage, chunk, sums, ended).
template <class In, class Heads, monoid Op, class Take>
index_t find_totals(int threads, In in, Heads const& heads, index_t n, Op op,
                    typename Op::value_type init, index_t chunk_items, Take take) {
  using T = typename Op::value_type;
  iterated_items<T, In> const source{in};
  described_items<T, iterated_items<T, In>, Heads> const items{source, heads,
                                                               scan_direction::forward, n};
  return detail::find_totals(
      threads, items.input(), n, op, init, chunk_items,
      totals_taker<T>{&take,
                      [](void* self, reduced_stage<T> const& stage, chunk const& c, T const* sums,
                         index_t ended) { (*static_cast<Take*>(self))(stage, c, sums, ended); }});
}

}  // namespace libscan::inline v1::cpu::detail
