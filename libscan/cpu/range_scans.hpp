// SPDX-License-Identifier: Apache-2.0
// Scans and totals of segments that may begin and end anywhere, in any order, with items between
// them that belong to none. All threads work on one long segment after the other; the other
// segments take one thread each.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>  // and so std::iterator_traits: <iterator> also has streams

#include <libscan/core/operators.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/few_segments.hpp>
#include <libscan/cpu/index_checks.hpp>
#include <libscan/cpu/large_values.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/staged_scan.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// Whether `Heads` are ranges of items.
template <class Heads>
inline constexpr bool by_ranges = false;
template <class Offset>
inline constexpr bool by_ranges<segment_ranges<Offset>> = true;

}  // namespace detail

/// A description of segments for calls: `segment_heads`, or `segment_ranges`.
template <class Heads>
concept segment_description = segment_heads<Heads> || detail::by_ranges<Heads>;

namespace detail {

/// The most items of a segment for which one thread is enough. Sums of floating-point numbers
/// depend on it.
template <class T>
inline constexpr index_t one_thread_segment = large_value<T> ? 16 : index_t{1} << 16;

/// The memory of the descriptions of segments: first the begins, then the ends.
template <class Offset, class Results>
void require_no_overlap_with_ranges(char const* call, segment_ranges<Offset> const& segments,
                                    Results const& results, index_t written) {
  memory_span const to = detail::memory_of(results, written);
  index_t const count = segments.segments;
  detail::require_no_overlap(call, "descriptor and results",
                             detail::memory_of(segments.begins, count), to);
  detail::require_no_overlap(call, "descriptor and results",
                             detail::memory_of(segments.ends, count), to);
}

/// Calls whole(s, begin, end) for each segment of more than `max_length` items, on this thread,
/// then part(s, begin, end) for the others, on several threads.
template <class Offset, class Whole, class Part>
void for_each_range(int threads, segment_ranges<Offset> const& segments, index_t max_length,
                    Whole const& whole, Part const& part) {
  auto const each = [&](index_t first, index_t last, bool wanted, auto const& work) {
    for (index_t s = first; s < last; ++s) {
      auto const begin = static_cast<index_t>(segments.begins[s]);
      auto const end = static_cast<index_t>(segments.ends[s]);
      if ((end - begin > max_length) == wanted) work(s, begin, end);
    }
  };
  index_t const count = segments.segments;
  each(0, count, true, whole);
  // Few segments in a batch, since they may be long; more than one, since they may be short.
  index_t const batch = std::clamp<index_t>(count / (index_t{16} * threads), 1, 256);
  detail::run_chain(threads, count, batch, plus<index_t>{}, index_t{0},
                    [&](auto& chain, auto& mine) {
                      for (; mine; mine = chain.claim()) {
                        each(*mine * batch, std::min(count, (*mine + 1) * batch), false, part);
                      }
                    });
}

/// The totals of some ranges of items, all checked.
template <class In, class Offset, class Totals, monoid Op>
index_t reduce_checked_ranges(int threads, In in, segment_ranges<Offset> const& segments,
                              Totals totals, Op const& op, typename Op::value_type const& init,
                              index_t chunk_items) {
  using T = typename Op::value_type;
  detail::for_each_range(
      threads, segments, one_thread_segment<T>,
      [&](index_t s, index_t begin, index_t end) {
        totals[s] = detail::reduce_any(threads, in + begin, end - begin, op, init, chunk_items);
      },
      [&](index_t s, index_t begin, index_t end) {
        if constexpr (large_value<T>) {
          totals[s] = detail::reduce_any(1, in + begin, end - begin, op, init, chunk_items);
        } else {
          totals[s] = detail::sum_of_few(in, begin, end, op, init);
        }
      });
  return segments.segments;
}

/// The same, which checks them.
template <class In, class Offset, class Totals, monoid Op>
index_t reduce_ranges(int threads, In in, segment_ranges<Offset> const& segments, Totals totals,
                      index_t n, Op const& op, typename Op::value_type const& init,
                      index_t chunk_items) {
  char const* const call = "segmented_reduce";
  detail::check_chunks(threads, n, chunk_items);
  detail::check_ranges(call, threads, segments.begins, segments.ends, segments.segments, n);
  detail::require_no_overlap(call, "items and results", detail::memory_of(in, n),
                             detail::memory_of(totals, segments.segments));
  detail::require_no_overlap_with_ranges(call, segments, totals, segments.segments);
  return detail::reduce_checked_ranges(threads, in, segments, totals, op, init, chunk_items);
}

/// Whether offsets omit some of n items at either end.
template <class Heads>
bool leaves_out(Heads const&, index_t) {
  return false;
}
template <class Offset>
bool leaves_out(segment_offsets<Offset> const& heads, index_t n) {
  if (heads.segments <= 0) return n != 0;
  libscan::detail::require_aligned(heads.offsets);
  return heads.begin_of(0) != 0 || heads.begin_of(heads.segments) != n;
}
template <class Offset>
bool leaves_out(segment_ranges<Offset> const&, index_t) {
  return true;
}

/// Descriptions that omit items, as ranges.
template <class Offset>
segment_ranges<Offset> const& as_ranges(segment_ranges<Offset> const& segments) {
  return segments;
}
template <class Offset>
segment_ranges<Offset> as_ranges(segment_offsets<Offset> const& heads) {
  return segment_ranges<Offset>::between(heads.offsets, heads.segments);
}

}  // namespace detail

/// totals[s] = init op the items of segment s, in order, for ranges of items, which may come in any
/// order, omit items, and overlap. Returns their number. Otherwise as between offsets.
template <std::random_access_iterator In, class Offset, std::random_access_iterator Totals,
          monoid Op>
index_t segmented_reduce(int threads, In in, Totals totals, segment_ranges<Offset> const& segments,
                         index_t n, Op op, std::type_identity_t<typename Op::value_type> init,
                         index_t chunk_items = staged_chunk_items) {
  detail::refuse_reduction<typename Op::value_type, In, segment_ranges<Offset>, Totals>();
  return detail::reduce_ranges(threads, in, segments, totals, n, op, init, chunk_items);
}

}  // namespace libscan::inline v1::cpu
