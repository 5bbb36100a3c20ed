// SPDX-License-Identifier: Apache-2.0
// The stable radix sort within segments, on CPU threads. Segments that fit in a core's cache are
// sorted by one thread each, handed out in groups of about equal numbers of items; all threads sort
// one larger segment after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/core/sort_overlap.hpp>
#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/cpu/sorter.hpp>
#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/index_checks.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/small_buffer.hpp>

namespace libscan::inline v1::cpu::detail {

// The segments of a sort on CPU threads, given by checked offsets of any integer type.

/// Segments of items: number s is [offsets[s], offsets[s + 1]).
template <std::integral Offset>
struct item_segments {
  Offset const* offsets;
  index_t count;
  index_t longest = 0;

  /// Throws unless offsets[0..count] ascend within 0 ... n.
  item_segments(int threads, Offset const* from, index_t segments, index_t n)
      : offsets(from), count(segments) {
    bool const good = count == 0 || (count > 0 && 0 <= at(0) && at(count) <= n && measure(threads));
    if (!good) detail::check_offsets("segmented sort", 1, offsets, count, n);
  }

  /// offsets[s]; negative if it exceeds any number of items.
  index_t at(index_t s) const { return static_cast<index_t>(offsets[s]); }

  /// The begin of the first segment, and the end of the last.
  index_t first() const { return count == 0 ? 0 : at(0); }
  index_t items() const { return count == 0 ? 0 : at(count); }

  /// The first of segments [s, count) that does not begin before `item`.
  index_t first_from(index_t s, index_t item) const {
    return std::lower_bound(
               offsets + s, offsets + count, item,
               [](Offset begin, index_t limit) { return static_cast<index_t>(begin) < limit; }) -
           offsets;
  }

 private:
  /// Finds the longest segment. Returns whether offsets ascend.
  bool measure(int threads) {
    pieces const all(threads, count);
    small_buffer<index_t> const lengths(all.count);
    std::atomic<bool> ascend{true};
    detail::for_each_of(threads, all.count, [&](int, index_t p) {
      bool good = true;
      index_t max_length = 0;
      for (index_t s = all.begin(p); s < all.end(p); ++s) {
        bool const ascends = at(s) <= at(s + 1);
        good = good && ascends;
        // Unsigned, since offsets may be invalid.
        auto const length =
            static_cast<std::uint64_t>(at(s + 1)) - static_cast<std::uint64_t>(at(s));
        max_length = std::max(max_length, static_cast<index_t>(length));
      }
      lengths[p] = max_length;
      if (!good) ascend.store(false, std::memory_order_relaxed);
    });
    longest = *std::max_element(lengths.data(), lengths.data() + all.count);
    return ascend.load();
  }
};

}  // namespace libscan::inline v1::cpu::detail

namespace libscan::inline v1::cpu {

namespace detail {

/// Sorts each segment by word `w` of the order. source_from(i) and sink_from(i, count) begin at
/// item i; `count` items follow. scratch_from(i) is memory that `sorter::sort` may use, or null.
template <class Item, class Offset, class Order, class SourceFrom, class SinkFrom,
          class ScratchFrom>
void sort_segments(int threads, item_segments<Offset> const& segments, Order const& by, int w,
                   sort_tuning const& tuning, SourceFrom const& source_from,
                   SinkFrom const& sink_from, ScratchFrom const& scratch_from) {
  auto const leaves = detail::sorter_for<Item>(threads, by, w, tuning);
  index_t const large = leaves.leaf_items();
  index_t const tiny = leaves.tiny_items();
  constexpr index_t batch_items = 512;  // of tiny segments, sorted together
  index_t const max_length = std::max(batch_items, std::min(segments.longest, large));
  constexpr index_t group_items = index_t{1} << 14;
  index_t const groups = libscan::ceil_div(segments.items(), group_items);
  // A few items of tiny segments are sorted on the stack.
  constexpr index_t near_items = 2 * batch_items;
  alignas(cache_line) std::byte on_stack[near_items * sizeof(Item)];
  index_t const scratch_items = std::min<index_t>(threads, groups) * 2 * max_length;
  sort_memory<Item> const memory(scratch_items <= near_items ? 0 : scratch_items);
  Item* const all_scratch = memory.empty() ? reinterpret_cast<Item*>(on_stack) : memory.data();
  detail::for_each_of(threads, groups, [&](int worker, index_t group) {
    Item* const scratch = all_scratch + worker * 2 * max_length;
    index_t s = segments.first_from(0, group * group_items);
    index_t const end = segments.first_from(s, (group + 1) * group_items);
    while (s != end) {
      index_t const begin = segments.at(s);
      index_t past = s;
      while (past != end && segments.at(past + 1) - segments.at(past) <= tiny &&
             segments.at(past + 1) - begin <= batch_items) {
        ++past;
      }
      if (past != s) {
        leaves.sort_tiny_segments(source_from(begin), segments.offsets + s, past - s,
                                  sink_from(begin, segments.at(past) - begin), scratch,
                                  scratch + max_length);
        s = past;
        continue;
      }
      index_t const size = segments.at(s + 1) - begin;
      if (size <= large) {
        leaves.sort_leaf(source_from(begin), size, sink_from(begin, size), scratch,
                         scratch + max_length);
      }
      ++s;
    }
  });
  if (segments.longest <= large) return;
  for (index_t s = 0; s < segments.count; ++s) {
    index_t const begin = segments.at(s);
    index_t const size = segments.at(s + 1) - begin;
    if (size <= large) continue;
    detail::sorter_for<Item>(threads, by, w, tuning)
        .sort(source_from(begin), size, sink_from(begin, size), scratch_from(begin));
  }
}

/// The same for pairs of word and value.
template <class Value, class Key, class Offset>
void sort_pairs_in_segments(int threads, Key const* keys, Key* out, void const* values,
                            void* values_out, item_segments<Offset> const& segments,
                            sort_order<Key> const& order, sort_tuning const& tuning) {
  number_words<Key> const words(order.direction);
  using item = keyed_value<typename number_words<Key>::word, Value>;
  auto const bytes = [](index_t i) { return i * index_t{sizeof(Value)}; };
  detail::sort_segments<item>(
      threads, segments, order, 0, tuning,
      [=](index_t i) {
        return pair_source<Key, Value>{keys + i, static_cast<std::byte const*>(values) + bytes(i),
                                       words};
      },
      [=](index_t i, index_t count) {
        return pair_sink<Key, Value>{
            out + i, static_cast<std::byte*>(values_out) + bytes(i), words,
            store_policy_for(count * index_t{sizeof(Key) + sizeof(Value)})};
      },
      [](index_t) { return static_cast<item*>(nullptr); });
}

/// Sets positions[j] to the position among all keys of the key that comes j-th; each segment stays
/// in its own places.
template <class Position, class To, class Offset, class Order>
void sort_positions_in_segments(int threads, typename Order::key_type const* keys, To* positions,
                                item_segments<Offset> const& segments, Order const& order,
                                sort_tuning const& tuning) {
  using word = typename Order::word_type;
  using item = keyed_value<word, Position>;
  auto const sink_from = [=](index_t i, index_t count) {
    return value_sink<word, Position, To>{positions + i,
                                          store_policy_for(count * index_t{sizeof(To)})};
  };
  auto const no_scratch = [](index_t) { return static_cast<item*>(nullptr); };
  detail::sort_segments<item>(
      threads, segments, order, 0, tuning,
      [=](index_t i) {
        return position_source<Order, Position>{keys, order, i};
      },
      sink_from, no_scratch);
  for (int w = 1; w < Order::words; ++w) {
    if (order.counting(w) == 0) continue;
    detail::sort_segments<item>(
        threads, segments, order, w, tuning,
        [=, &order](index_t i) {
          return word_source<Order, Position, To>{keys, positions + i, order, w};
        },
        sink_from, no_scratch);
  }
}

/// Sorts positions within segments, then moves keys and values, of any size, at once.
template <class Position, class Offset, class Order>
void gather_segments(int threads, typename Order::key_type const* keys,
                     typename Order::key_type* out, void const* values, void* values_out,
                     std::size_t value_bytes, index_t n, item_segments<Offset> const& segments,
                     Order const& order, sort_tuning const& tuning) {
  sort_memory<Position> const memory(n);
  Position* const positions = memory.data();
  detail::sort_positions_in_segments<Position>(threads, keys, positions, segments, order, tuning);
  index_t const first = segments.first(), count = segments.items() - first;
  detail::gather(threads, keys, out, sizeof(*keys), positions, count, first);
  if (value_bytes != 0)
    detail::gather(threads, values, values_out, value_bytes, positions, count, first);
}

/// Sorts segments of numbers, with values of 4, 8 or 0 bytes.
template <class Key, class Offset>
void sort_words_in_segments(int threads, Key const* keys, Key* out, void const* values,
                            void* values_out, std::size_t value_bytes,
                            item_segments<Offset> const& segments, sort_order<Key> const& order,
                            sort_tuning const& tuning) {
  if (value_bytes == sizeof(std::uint32_t)) {
    return detail::sort_pairs_in_segments<std::uint32_t>(threads, keys, out, values, values_out,
                                                         segments, order, tuning);
  }
  if (value_bytes == sizeof(std::uint64_t)) {
    return detail::sort_pairs_in_segments<std::uint64_t>(threads, keys, out, values, values_out,
                                                         segments, order, tuning);
  }
  using word = typename number_words<Key>::word;
  number_words<Key> const words(order.direction);
  detail::sort_segments<word>(
      threads, segments, order, 0, tuning,
      [=](index_t i) {
        return key_source<Key>{keys + i, words};
      },
      [=](index_t i, index_t) {
        return key_sink<Key>{out + i, words};
      },
      [=](index_t i) { return keys == out ? nullptr : reinterpret_cast<word*>(out + i); });
}

/// Sorts segments, with values of `value_bytes` bytes; 0: no values.
template <class Offset, class Order>
void sort_bytes_in_segments(int threads, typename Order::key_type const* keys,
                            typename Order::key_type* out, void const* values, void* values_out,
                            std::size_t value_bytes, index_t n, Offset const* offsets,
                            index_t count, Order const& order, sort_tuning const& tuning) {
  check_sort(threads, n);
  item_segments const segments(threads, offsets, count, n);
  order.check_bits();
  if (n == 0) return;
  if constexpr (sorts_words<Order>) {
    bool const carried = value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
    if (carried && detail::words_suffice(threads, keys, n)) {
      return detail::sort_words_in_segments(threads, keys, out, values, values_out, value_bytes,
                                            segments, order, tuning);
    }
  }
  detail::with_position_type(n, [&]<class Position>(Position) {
    detail::gather_segments<Position>(threads, keys, out, values, values_out, value_bytes, n,
                                      segments, order, tuning);
  });
}

/// Throws if an output of a sort within segments overlaps anything that it may not.
template <class Offset>
void require_no_segment_overlap(libscan::detail::sort_memory_places const& items,
                                Offset const* offsets, index_t segments) {
  items.require_no_overlap("segmented sort", true);
  items.require_no_overlap_with("segmented sort", "outputs and offsets",
                                detail::memory_of(offsets, segments + 1), false);
}

}  // namespace detail

/// Sorts each segment of in[0..n-1] separately into the same places of `out`, as `sort_keys`:
/// segment s is items offsets[s] to offsets[s + 1] - 1, perhaps none. `offsets` are segments + 1
/// ascending integers of any type within 0 ... n. Items before the first or after the last segment
/// stay as they are. Many tiny segments take about as long as few huge ones. `out` may be `in`; any
/// other overlap throws.
/// Memory: per thread twice the longest segment's keys, at least 1024 keys and at most 1 MiB; for
/// larger segments that of `sort_keys`; for floats that include -0 or NaN, and for user-defined
/// keys, also n positions, and pairs of a word and a position instead of keys.
/// Throws: as `sort_keys`, and `invalid_argument` for invalid offsets.
template <class Key, std::integral Offset, class Order = sort_order<Key>>
void sort_keys_in_segments(int threads, Key const* in, Key* out, index_t n, Offset const* offsets,
                           index_t segments, Order const& order = {},
                           detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::refuse_memory<Key>();
  detail::require_no_segment_overlap({detail::memory_of(in, n), detail::memory_of(out, n), {}, {}},
                                     offsets, segments);
  detail::sort_bytes_in_segments(threads, in, out, nullptr, nullptr, 0, n, offsets, segments, order,
                                 tuning);
}

/// The same with values of any trivially copyable type, which move with their keys.
template <class Key, class Value, std::integral Offset, class Order = sort_order<Key>>
void sort_pairs_in_segments(int threads, Key const* keys, Key* out, Value const* values,
                            Value* values_out, index_t n, Offset const* offsets, index_t segments,
                            Order const& order = {}, detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::refuse_memory<Key>();
  detail::refuse_memory<Value>();
  detail::require_no_segment_overlap(
      {detail::memory_of(keys, n), detail::memory_of(out, n), detail::memory_of(values, n),
       detail::memory_of(values_out, n)},
      offsets, segments);
  detail::sort_bytes_in_segments(threads, keys, out, values, values_out, sizeof(Value), n, offsets,
                                 segments, order, tuning);
}

/// The positions of the keys that `sort_keys_in_segments` would put in each place: segment s of
/// them is a permutation of offsets[s] ... offsets[s + 1] - 1. `positions` are integers of 32 or 64
/// bits that can represent n - 1, and must not overlap `in` or offsets. Memory and errors as there.
template <class Key, class Index, std::integral Offset, class Order = sort_order<Key>>
void argsort_in_segments(int threads, Key const* in, Index* positions, index_t n,
                         Offset const* offsets, index_t segments, Order const& order = {},
                         detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::check_sort(threads, n);
  libscan::detail::check_positions<Index>("segmented argsort", n, detail::memory_of(in, n),
                                          detail::memory_of(positions, n));
  detail::require_no_overlap("segmented argsort", "positions and offsets",
                             detail::memory_of(offsets, segments + 1),
                             detail::memory_of(positions, n));
  detail::item_segments const all(threads, offsets, segments, n);
  order.check_bits();
  if (n == 0) return;
  detail::with_position_type(n, [&]<class Position>(Position) {
    detail::sort_positions_in_segments<Position>(threads, in, positions, all, order, tuning);
  });
}

}  // namespace libscan::inline v1::cpu

#include <apps/radix_sort/cpu/sort_ranges.hpp>
