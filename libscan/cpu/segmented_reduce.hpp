// SPDX-License-Identifier: Apache-2.0
// Totals of segments on CPU threads. Each chunk is scanned as in segmented_scan.hpp, but into the
// thread's own cache; the result at the last item of each segment is its total, so short segments
// cost no more than long ones. If few segments end in a chunk, or all have the same few items, each
// is summed in a loop instead.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <functional>
#include <span>  // and so std::iterator_traits: <iterator> also has streams
#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/few_segments.hpp>
#include <libscan/cpu/large_segments.hpp>
#include <libscan/cpu/range_scans.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/segment_loops.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/small_buffer.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

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

  reduced_stage(index_t count, flagged<T> any)
      : segmented_stage<T>(count + 1, any), tails(ceil_div(count, word_heads)) {}

  /// Marks the head flags and tails of chunk `c` of n items.
  template <class Heads>
  void mark(Heads const& descriptor, chunk const& c, index_t n) {
    head_word* const begins = this->heads.data();
    index_t const size = c.size(), words = ceil_div(size, word_heads);
    bool const last = c.end == n;
    // Including the next item, whose head is this chunk's tail.
    cpu::mark_positions(descriptor, scan_direction::forward, n, c.begin, last ? n : c.end + 1,
                        begins);
    ended = 0;
    for (index_t w = 0; w < words; ++w) {
      bool const more = (w + 1) * word_heads < size + (last ? 0 : 1);
      tails[w] = begins[w] >> 1 | (more ? begins[w + 1] << (word_heads - 1) : 0);
      if (last && w == words - 1) tails[w] |= head_word{1} << (size - 1) % word_heads;
      ended += std::popcount(tails[w]);
    }
    if (size % word_heads != 0) begins[words - 1] &= ~(~head_word{0} << size % word_heads);
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
  T first = detail::is_head(here.heads.data(), 0) ? init : carry;
  index_t from = 0;
  for (index_t w = 0; w < ceil_div(items, word_heads); ++w) {
    for (head_word word = here.tails[w]; word != 0; word &= word - 1) {
      index_t const tail = w * word_heads + std::countr_zero(word);
      // A summed item may be overwritten: `sums` may be the items.
      sums[tail] = detail::sum_of_few(here.items, from, tail + 1, op, first);
      first = init;
      from = tail + 1;
    }
  }
}

/// Finds the totals of all segments, a chunk at a time, and calls take(stage, chunk, sums, carry)
/// for each chunk: sums[i] is the total of the segment that ends with item i of the chunk, unless
/// `stage.segments` are still to be processed one by one; `carry` is what chunks before pass on.
/// Returns the number of segments, unless they have bounds.
template <class In, class Heads, monoid Op, class Take>
index_t find_totals(int threads, In in, Heads const& heads, index_t n, Op op,
                    typename Op::value_type init, index_t chunk_items, Take take) {
  using T = typename Op::value_type;
  using stage = reduced_stage<T>;
  using carried = ended_segments<T>;
  iterated_items<T, In> const source{in};
  follow_segments<Op> const follow{{op}};
  auto const total = cpu::run_chunks(
      threads, n, chunk_items, follow, carried{0, {init, false}},
      [&] { return stage(std::min(n, chunk_items), follow.within.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = detail::fetch(source, scan_direction::forward, n, c, here.space.data());
        if constexpr (by_bounds<Heads>) {
          here.segments = detail::find_ended<T>(heads, c);
          if (here.segments.one_by_one) {
            return carried{0,
                           detail::sum_after_ended(heads, here.segments, c, here.items, op, init)};
          }
        }
        here.mark(heads, c, n);
        return carried{here.ended, detail::sum_segments(here, c.size(), op, init)};
      },
      [&](stage& here, chunk const& c, carried const& carry) {
        if (here.segments.one_by_one) return take(here, c, here.items, carry);
        T* const sums = here.space.data();
        if (vectorized<Op> && detail::summed_in_loops<T>(here.ended, c.size())) {
          detail::sum_to_tails(here, sums, c.size(), op, carry.rest.value, init);
          return take(here, c, sums, carry);
        }
        chunk_memory ahead;
        if (vectorized<Op> && c.next_begin < c.next_end) {
          ahead = detail::memory_ahead<T>(source, heads, scan_direction::forward, n, c.next_begin,
                                          c.next_end);
        }
        detail::scan_segments<scan_kind::inclusive>(here, sums, c.size(), op, carry.rest, init,
                                                    store_policy::cached, ahead);
        take(here, c, sums, carry);
      },
      aggregates::repeatable);
  return total.ended;
}

/// The number of totals that are certainly written; one if the segments are not counted yet.
template <class Heads>
index_t known_totals(Heads const&, index_t n) {
  return std::min<index_t>(n, 1);
}
template <class Offset>
index_t known_totals(segment_offsets<Offset> const& heads, index_t) {
  return heads.segments;
}
inline index_t known_totals(equal_segments const& heads, index_t n) {
  return ceil_div(n, heads.length);
}

/// totals[s] = sums[i] for each segment s that ends with item i of chunk `c`, or `init` if it is
/// empty.
template <class Offset, class T, class Totals>
void write_totals(segment_bounds<Offset> const& bounds, chunk_segments const& ended, chunk const& c,
                  T const* sums, T init, Totals totals) {
  bounds.with_begins([&](auto begin_of) {
    index_t s = ended.begin, begin = begin_of(s);
    for (; s < ended.end && begin_of(s + 1) == begin; ++s) totals[s] = init;
    // The sum of an empty segment is read and not used: otherwise each segment would be a branch.
    for (; s < ended.end; ++s) {
      index_t const end = begin_of(s + 1);
      T const sum = sums[end - c.begin - 1];
      totals[s] = begin == end ? init : sum;
      begin = end;
    }
  });
}

/// The totals of segments whose bounds are known. Items are not large values.
template <class In, class Offset, class Totals, monoid Op>
index_t reduce_bounds(int threads, In in, segment_bounds<Offset> const& bounds, Totals totals,
                      Op op, typename Op::value_type init, index_t chunk_items) {
  using T = typename Op::value_type;
  index_t const n = bounds.items, segments = bounds.segments();
  if (detail::few_for_segments(threads, n, chunk_items)) {
    return detail::sum_few_segments(in, bounds, n, op, init,
                                    [=](index_t s, index_t, T const& sum) { totals[s] = sum; });
  }
  // So few that all threads take one after the other, without a scan.
  if (segments <= n / chunk_items / 2) {
    for (index_t s = 0; s < segments; ++s) {
      index_t const begin = bounds.begin_of(s);
      totals[s] = cpu::reduce(threads, in + begin, bounds.begin_of(s + 1) - begin, op, init);
    }
    return segments;
  }
  // A chunk writes the segments that end in it, and the empty ones after them.
  detail::find_totals(threads, in, bounds, n, op, init, chunk_items,
                      [&](auto const& here, chunk const& c, T const* sums, auto const& carry) {
                        auto const& ended = here.segments;
                        if (ended.one_by_one) {
                          detail::sum_ended(bounds, ended, c, sums, op, carry.rest.value, init,
                                            totals);
                        } else {
                          detail::write_totals(bounds, ended, c, sums, init, totals);
                        }
                      });
  return segments;
}

/// Throws `invalid_argument` if results overlap what is read, if that is known.
template <class In, class Heads, class Results>
void check_reduction(char const* call, In const& in, Heads const& heads, index_t n,
                     Results const& results) {
  libscan::detail::refuse_volatile<In>();
  memory_span const written = detail::memory_of(results, detail::known_totals(heads, n));
  detail::require_no_overlap(call, "items and results", detail::memory_of(in, n), written);
  detail::require_no_overlap(call, "descriptor and results", detail::memory_of(heads, n), written);
}

}  // namespace detail

/// totals[s] = init op the items of segment s, in order, on up to `threads` threads. Returns the
/// number of segments.
///
/// Types: `in` is a random-access iterator or pointer; items are converted to Op::value_type.
/// `heads` marks where segments begin; only those between offsets may be empty, and get `init`.
/// Offsets need not begin with 0 or end with n. `totals` is a random-access iterator or
/// pointer with space for one result per segment; writes to it must not race. Operator and errors
/// are those of `segmented_scan`.
/// Determinism: the same for any number of threads and on any processor. Floats of the same
/// segments, described otherwise, may be rounded in another order.
/// Aliasing: `totals` must not overlap anything (refused if it is known to begin within what is
/// read).
/// Memory: reads n items and the description (offsets once if all segments have one length, else up
/// to three times), writes one result per segment;
/// allocates one chunk per thread if that is larger than 8 KiB.
template <std::random_access_iterator In, segment_heads Heads, std::random_access_iterator Totals,
          monoid Op>
index_t segmented_reduce(int threads, In in, Totals totals, Heads const& heads, index_t n, Op op,
                         std::type_identity_t<typename Op::value_type> init,
                         index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  char const* const call = "segmented_reduce";
  detail::refuse_reduction<T, In, Heads, Totals>();
  if constexpr (detail::by_offsets<Heads>) {
    if (detail::large_value<T> || detail::leaves_out(heads, n)) {
      return detail::reduce_ranges(threads, in, detail::as_ranges(heads), totals, n, op, init,
                                   chunk_items);
    }
  }
  auto const& known = detail::check_heads(call, threads, heads, n);
  detail::check_reduction(call, in, heads, n, totals);
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    return detail::find_large_totals(
        threads, in, known, n, op, init, [](index_t, index_t) {},
        [&](index_t s, T const& sum) { detail::write_large(totals, s, sum); });
  } else if constexpr (detail::by_bounds<std::remove_cvref_t<decltype(known)>>) {
    return detail::reduce_bounds(threads, in, known, totals, op, init, chunk_items);
  } else {
    if constexpr (detail::may_have_bounds<Heads>) {
      if (auto const* const bounds = known.bounds()) {
        return detail::reduce_bounds(threads, in, *bounds, totals, op, init, chunk_items);
      }
    }
    if (detail::few_for_segments(threads, n, chunk_items)) {
      return detail::sum_few_segments(in, known, n, op, init,
                                      [=](index_t s, index_t, T const& sum) { totals[s] = sum; });
    }
    return detail::find_totals(
        threads, in, known, n, op, init, chunk_items,
        [&](auto const& stage, chunk const& c, T const* sums, auto const& carry) {
          detail::pick(stage.tails.data(), c.size(), sums, totals + carry.ended);
        });
  }
}

// Totals of runs of equal keys on CPU threads. Included by segmented_reduce.hpp.

/// Reduces every run of equal neighboring keys: unique[s] = the first key of run s, totals[s] =
/// init op the items of run s. Returns the number of runs. `keys` and `unique` are random-access
/// iterators or pointers; `equal` is as in `segment_keys`, everything else as in
/// `segmented_reduce`. `unique` and `totals` need space for one result per run, at most n, and must
/// not overlap each other either.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, monoid Op,
          std::predicate<std::iter_value_t<Keys>, std::iter_value_t<Keys>> Equal>
index_t reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
                      Equal equal, std::type_identity_t<typename Op::value_type> init,
                      index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  segment_keys<Keys, Equal> const heads{keys, equal};
  detail::refuse_reduction<T, In, segment_keys<Keys, Equal>, Totals>();
  detail::refuse_results<std::iter_value_t<Keys>, Unique>();
  detail::check_reduction("reduce_by_key", in, heads, n, totals);
  detail::check_reduction("reduce_by_key", in, heads, n, unique);
  index_t const known = detail::known_totals(heads, n);
  detail::require_no_overlap("reduce_by_key", "keys and totals", detail::memory_of(unique, known),
                             detail::memory_of(totals, known));
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    return detail::find_large_totals(
        threads, in, heads, n, op, init, [&](index_t s, index_t begin) { unique[s] = keys[begin]; },
        [&](index_t s, T const& sum) { detail::write_large(totals, s, sum); });
  } else {
    if (detail::few_for_segments(threads, n, chunk_items)) {
      auto const take = [=](index_t s, index_t begin, T const& sum) {
        unique[s] = keys[begin];
        totals[s] = sum;
      };
      return detail::sum_few_segments(in, heads, n, op, init, take);
    }
    return detail::find_totals(
        threads, in, heads, n, op, init, chunk_items,
        [&](auto const& stage, chunk const& c, T const* sums, auto const& carry) {
          index_t const ended = carry.ended;
          detail::pick(stage.tails.data(), c.size(), sums, totals + ended);
          // A segment that continues into the chunk already has its key.
          index_t const begun = detail::is_head(stage.heads.data(), 0) ? 0 : 1;
          detail::pick(stage.heads.data(), c.size(), keys + c.begin, unique + (ended + begun));
        });
  }
}

/// The same with keys compared by ==.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, monoid Op>
index_t reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
                      std::type_identity_t<typename Op::value_type> init,
                      index_t chunk_items = staged_chunk_items) {
  return cpu::reduce_by_key(threads, keys, in, unique, totals, n, op, equal_values{}, init,
                            chunk_items);
}

// Totals of segments by any callable, and without an init. Included by segmented_reduce.hpp.

/// `segmented_reduce` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs an init if its identity is unknown.
template <std::random_access_iterator In, segment_description Heads,
          std::random_access_iterator Totals, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init> index_t
segmented_reduce(int threads, In in, Totals totals, Heads const& heads, index_t n, Op op,
                 Init init = unstated::init(), index_t chunk_items = staged_chunk_items) {
  using call =
      libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    return call::run(op, init, [&](auto const& by, auto const& first) {
      return cpu::segmented_reduce(threads, in, totals, heads, n, by, first, chunk_items);
    });
  }
}

/// `reduce_by_key` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs no init.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, class Op,
          std::predicate<std::iter_value_t<Keys>, std::iter_value_t<Keys>> Equal,
          class Init = unstated>
requires libscan::detail::adapted<Op, Init> index_t
reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
              Equal equal, Init init = unstated::init(), index_t chunk_items = staged_chunk_items) {
  using call = libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::never>;
  if constexpr (call::accepted()) {
    return call::run(op, init, [&](auto const& by, auto const& first) {
      return cpu::reduce_by_key(threads, keys, in, unique, totals, n, by, equal, first,
                                chunk_items);
    });
  }
}

/// The same with keys compared by ==.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, class Op,
          class Init = unstated>
requires libscan::detail::adapted<Op, Init> &&
    (!std::predicate<Init, std::iter_value_t<Keys>, std::iter_value_t<Keys>>)index_t
    reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
                  Init init = unstated::init(), index_t chunk_items = staged_chunk_items) {
  return cpu::reduce_by_key(threads, keys, in, unique, totals, n, op, equal_values{}, init,
                            chunk_items);
}

}  // namespace libscan::inline v1::cpu
