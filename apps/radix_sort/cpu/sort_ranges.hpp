// SPDX-License-Identifier: Apache-2.0
// The stable sort within segments that begin and end anywhere, in any order, with items between
// them that are in none, on CPU threads. Long segments are sorted by all threads, one after the
// other, others by one thread each. Included by segmented_sort.hpp.
#pragma once

#include <concepts>
#include <cstddef>

#include <apps/radix_sort/core/sort_overlap.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/range_scans.hpp>
#include <libscan/cpu/segmented_sort.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// Whether ranges are what lies between offsets, which ascend.
template <class Offset>
bool between_offsets(segment_ranges<Offset> const& segments) {
  return segments.segments > 0 && segments.ends == segments.begins + 1;
}

/// Throws unless the ranges are within n items, and outputs apart from where they are described.
template <class Offset>
void check_sorted_ranges(libscan::detail::sort_memory_places const& items,
                         segment_ranges<Offset> const& segments, int threads, index_t n) {
  check_sort(threads, n);
  detail::check_ranges("segmented sort", threads, segments.begins, segments.ends, segments.segments,
                       n);
  items.require_no_overlap("segmented sort", true);
  for (Offset const* const bounds : {segments.begins, segments.ends}) {
    items.require_no_overlap_with("segmented sort", "outputs and ranges",
                                  detail::memory_of(bounds, segments.segments), false);
  }
}

/// Calls sort(threads, begin, count) for each range.
template <class Offset, class Sort>
void sort_each_range(int threads, segment_ranges<Offset> const& segments, Sort const& sort) {
  detail::for_each_range(
      threads, segments, one_thread_segment<std::byte>,
      [&](index_t, index_t begin, index_t end) { sort(threads, begin, end - begin); },
      [&](index_t, index_t begin, index_t end) { sort(1, begin, end - begin); });
}

}  // namespace detail

/// Sorts each range of in[0..n-1] on its own into the same places of `out`, as `sort_keys` sorts.
/// Ranges may come in any order and leave items out, whose places in `out` do not change, but may
/// not overlap. `out` may be equal to `in`; any other overlap throws.
/// Memory: that of `sort_keys` for one range of more than 2^16 keys, or one range of each thread.
/// Throws: as `sort_keys`, and `invalid_argument` for ranges that are not within n items.
template <class Key, std::integral Offset, class Order = sort_order<Key>>
void sort_keys_in_segments(int threads, Key const* in, Key* out, index_t n,
                           segment_ranges<Offset> const& segments, Order const& order = {},
                           detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::refuse_memory<Key>();
  if (detail::between_offsets(segments)) {
    return cpu::sort_keys_in_segments(threads, in, out, n, segments.begins, segments.segments,
                                      order, tuning);
  }
  detail::check_sorted_ranges({detail::memory_of(in, n), detail::memory_of(out, n), {}, {}},
                              segments, threads, n);
  order.check_bits();
  detail::sort_each_range(threads, segments, [&](int by, index_t first, index_t count) {
    detail::sort_bytes(by, in + first, out + first, nullptr, nullptr, 0, count, order, tuning);
  });
}

/// The same with values of any trivially copyable type, which move with their keys.
template <class Key, class Value, std::integral Offset, class Order = sort_order<Key>>
void sort_pairs_in_segments(int threads, Key const* keys, Key* out, Value const* values,
                            Value* values_out, index_t n, segment_ranges<Offset> const& segments,
                            Order const& order = {}, detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::refuse_memory<Key>();
  detail::refuse_memory<Value>();
  if (detail::between_offsets(segments)) {
    return cpu::sort_pairs_in_segments(threads, keys, out, values, values_out, n, segments.begins,
                                       segments.segments, order, tuning);
  }
  detail::check_sorted_ranges({detail::memory_of(keys, n), detail::memory_of(out, n),
                               detail::memory_of(values, n), detail::memory_of(values_out, n)},
                              segments, threads, n);
  order.check_bits();
  detail::sort_each_range(threads, segments, [&](int by, index_t first, index_t count) {
    detail::sort_bytes(by, keys + first, out + first, values + first, values_out + first,
                       sizeof(Value), count, order, tuning);
  });
}

/// The positions, among all n, of the keys that the sort of ranges would put in each place; those
/// of items in no range stay as they are. `positions` lie apart from `in` and the ranges; they are
/// integers of 32 or 64 bits that can hold n - 1. Errors as there.
template <class Key, class Index, std::integral Offset, class Order = sort_order<Key>>
void argsort_in_segments(int threads, Key const* in, Index* positions, index_t n,
                         segment_ranges<Offset> const& segments, Order const& order = {},
                         detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  if (detail::between_offsets(segments)) {
    return cpu::argsort_in_segments(threads, in, positions, n, segments.begins, segments.segments,
                                    order, tuning);
  }
  libscan::detail::check_positions<Index>("segmented argsort", n, detail::memory_of(in, n),
                                          detail::memory_of(positions, n));
  detail::check_sorted_ranges({{}, detail::memory_of(positions, n), {}, {}}, segments, threads, n);
  order.check_bits();
  detail::sort_each_range(threads, segments, [&](int by, index_t first, index_t count) {
    cpu::argsort(by, in + first, positions + first, count, order, tuning);
    for (index_t i = first; i < first + count; ++i) {
      positions[i] = static_cast<Index>(positions[i] + static_cast<Index>(first));
    }
  });
}

}  // namespace libscan::inline v1::cpu
