// SPDX-License-Identifier: Apache-2.0
// Totals of segments on CPU threads: chunk by chunk (segmented_totals.hpp), or one segment after
// the other if there are few.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>

#include <libscan/core/operator_call.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/few_segments.hpp>
#include <libscan/cpu/large_segments.hpp>
#include <libscan/cpu/memory_span.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/segment_ranges.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_totals.hpp>
#include <libscan/cpu/type_checks.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

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

/// Throws `invalid_argument` if `heads` does not describe segments of n items, or if results
/// overlap what is read, if that is known.
template <class In, class Heads, class Results>
void check_reduction(char const* call, In const& in, Heads const& heads, index_t n,
                     Results const& results) {
  libscan::detail::refuse_volatile<In>();
  detail::check_heads(call, heads, n);
  memory_span const written = detail::memory_of(results, detail::known_totals(heads, n));
  detail::require_no_overlap(call, "items and results", detail::memory_of(in, n), written);
  detail::require_no_overlap(call, "descriptor and results", detail::memory_of(heads, n), written);
}

}  // namespace detail

/// totals[s] = init op the items of segment s, in order, on up to `threads` threads. Returns the
/// number of segments.
///
/// Types: `in` is a random-access iterator or pointer; items are converted to Op::value_type.
/// `heads` marks where segments begin; none is empty. `totals` is a random-access iterator or
/// pointer with space for one result per segment; writes to it must not race. Operator,
/// repeatability and errors are those of `segmented_scan`.
/// Aliasing: `totals` must not overlap anything (refused if it is known to begin within what is
/// read).
/// Memory: reads n items and the description, writes one result per segment; allocates one chunk
/// per thread if that is larger than 8 KiB.
template <std::random_access_iterator In, segment_heads Heads, std::random_access_iterator Totals,
          monoid Op>
index_t segmented_reduce(int threads, In in, Totals totals, Heads const& heads, index_t n, Op op,
                         std::type_identity_t<typename Op::value_type> init,
                         index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  detail::refuse_reduction<T, In, Heads, Totals>();
  detail::check_reduction("segmented_reduce", in, heads, n, totals);
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    return detail::find_large_totals(
        threads, in, heads, n, op, init, [](index_t, index_t) {},
        [&](index_t s, T const& sum) { detail::write_large(totals, s, sum); });
  } else {
    if (detail::few_for_segments(threads, n, chunk_items)) {
      return detail::sum_few_segments(in, heads, n, op, init,
                                      [=](index_t s, index_t, T const& sum) { totals[s] = sum; });
    }
    return detail::find_totals(
        threads, in, heads, n, op, init, chunk_items,
        [&](auto const& stage, chunk const& c, T const* sums, index_t ended) {
          detail::pick(stage.tails.data(), c.size(), sums, totals + ended);
        });
  }
}

/// The same between offsets: every segment gets a total, `init` if it is empty. Returns the number
/// of segments. `totals` is refused if any of it is within what is read. Offsets need not begin
/// with 0 or end with n.
template <std::random_access_iterator In, class Offset, std::random_access_iterator Totals,
          monoid Op>
index_t segmented_reduce(int threads, In in, Totals totals, segment_offsets<Offset> const& heads,
                         index_t n, Op op, std::type_identity_t<typename Op::value_type> init,
                         index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  detail::refuse_reduction<T, In, segment_offsets<Offset>, Totals>();
  if (detail::large_value<T> || detail::leaves_out(heads, n)) {
    return detail::reduce_ranges(threads, in, detail::as_ranges(heads), totals, n, op, init,
                                 chunk_items);
  }
  detail::check_reduction("segmented_reduce", in, heads, n, totals);
  index_t const segments = heads.segments;
  if (detail::few_for_segments(threads, n, chunk_items)) {
    return detail::sum_few_segments(in, heads, n, op, init,
                                    [=](index_t s, index_t, T const& sum) { totals[s] = sum; });
  }
  // So few that all threads take one after the other, without a scan.
  if (segments <= n / chunk_items / 2) {
    for (index_t s = 0; s < segments; ++s) {
      index_t const begin = heads.begin_of(s);
      totals[s] = cpu::reduce(threads, in + begin, heads.begin_of(s + 1) - begin, op, init);
    }
    return segments;
  }
  // A chunk writes the segments that end in it, and the empty ones after them.
  detail::find_totals(threads, in, heads, n, op, init, chunk_items,
                      [&](auto const&, chunk const& c, T const* sums, index_t) {
                        index_t s = c.begin == 0 ? 0 : heads.segment_of(c.begin);
                        index_t begin = heads.begin_of(s);
                        for (; s < segments && heads.begin_of(s + 1) <= c.end; ++s) {
                          index_t const end = heads.begin_of(s + 1);
                          totals[s] = begin == end ? init : sums[end - 1 - c.begin];
                          begin = end;
                        }
                      });
  return segments;
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
        [&](auto const& stage, chunk const& c, T const* sums, index_t ended) {
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
