// SPDX-License-Identifier: Apache-2.0
// The stable radix sort within segments, on CPU threads. Segments that fit a core's cache are
// sorted by one thread each, handed out in groups of about as many items; larger ones by all
// threads, one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/radix_sort_cpu.hpp>
#include <apps/radix_sort/sort_items_cpu.hpp>
#include <apps/radix_sort/sorter_cpu.hpp>
#include <apps/radix_sort/split_cpu.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// Segments of items: number s is [offsets[s], offsets[s + 1]).
struct item_segments {
  index_t const* offsets;
  index_t count;
  index_t longest = 0;

  /// Throws unless offsets[0..count] ascend from 0 to n.
  item_segments(int threads, index_t const* from, index_t segments, index_t n)
      : offsets(from), count(segments) {
    bool good = count > 0 ? from[0] == 0 && from[count] == n : count == 0 && n == 0;
    if (good && count > 0) good = measure(threads);
    if (good) return;
    throw invalid_argument("segmented sort: " + std::to_string(segments) +
                           " segments need one offset more, ascending from 0 to " +
                           std::to_string(n));
  }

  index_t items() const { return count == 0 ? 0 : offsets[count]; }

 private:
  /// Finds the longest. Returns whether offsets ascend.
  bool measure(int threads) {
    pieces const all(threads, count);
    small_room<index_t> const lengths(all.count);
    std::atomic<bool> ascend{true};
    for_each_of(threads, all.count, [&](int, index_t p) {
      bool good = true;
      index_t most = 0;
      for (index_t s = all.begin(p); s < all.end(p); ++s) {
        bool const ascends = offsets[s] <= offsets[s + 1];
        good = good && ascends;
        // Unsigned, since offsets may be anything.
        auto const length =
            static_cast<std::uint64_t>(offsets[s + 1]) - static_cast<std::uint64_t>(offsets[s]);
        most = std::max(most, static_cast<index_t>(length));
      }
      lengths[p] = most;
      if (!good) ascend.store(false, std::memory_order_relaxed);
    });
    longest = *std::max_element(lengths.data(), lengths.data() + all.count);
    return ascend.load();
  }
};

/// Sorts each segment: source_from(i) and sink_from(i, count) begin at item i, of which the latter
/// takes `count`; room_from(i) is room that `sorter::sort` may have, or null.
template <class Item, class Order, class SourceFrom, class SinkFrom, class RoomFrom>
void sort_segments(int threads, item_segments const& segments, Order const& by,
                   sort_tuning const& tuning, SourceFrom const& source_from,
                   SinkFrom const& sink_from, RoomFrom const& room_from) {
  auto const leaves = sorter_for<Item>(threads, by, 0, tuning);
  index_t const large = leaves.leaf_items();
  index_t const tiny = leaves.tiny_items();
  constexpr index_t batch_items = 512;  // of tiny segments, sorted together
  index_t const most = std::max(batch_items, std::min(segments.longest, large));
  constexpr index_t group_items = index_t{1} << 14;
  index_t const groups = ceil_div(segments.items(), group_items);
  // Of few items that are tiny segments, what they need is on the stack.
  constexpr index_t near_items = 2 * batch_items;
  alignas(cache_line) std::byte near[near_items * sizeof(Item)];
  index_t const room_items = std::min<index_t>(threads, groups) * 2 * most;
  sort_memory<Item> const memory(room_items <= near_items ? 0 : room_items);
  Item* const rooms = memory.empty() ? reinterpret_cast<Item*>(near) : memory.data();
  for_each_of(threads, groups, [&](int worker, index_t group) {
    Item* const room = rooms + worker * 2 * most;
    index_t const* end = segments.offsets + segments.count;
    index_t const* at = std::lower_bound(segments.offsets, end, group * group_items);
    end = std::lower_bound(at, end, (group + 1) * group_items);
    while (at != end) {
      index_t const* behind = at;
      while (behind != end && behind[1] - *behind <= tiny && behind[1] - *at <= batch_items) {
        ++behind;
      }
      if (behind != at) {
        leaves.sort_tiny_segments(source_from(*at), at, behind - at, sink_from(*at, *behind - *at),
                                  room, room + most);
        at = behind;
        continue;
      }
      index_t const size = at[1] - at[0];
      if (size <= large) {
        leaves.sort_leaf(source_from(*at), size, sink_from(*at, size), room, room + most);
      }
      ++at;
    }
  });
  if (segments.longest <= large) return;
  for (index_t s = 0; s < segments.count; ++s) {
    index_t const begin = segments.offsets[s];
    index_t const size = segments.offsets[s + 1] - begin;
    if (size <= large) continue;
    sorter_for<Item>(threads, by, 0, tuning)
        .sort(source_from(begin), size, sink_from(begin, size), room_from(begin));
  }
}

/// The same for pairs of word and value.
template <class Key, class Value>
void sort_pairs_in_segments(int threads, Key const* keys, Key* out, void const* values,
                            void* values_out, item_segments const& segments,
                            sort_order<Key> const& order, sort_tuning const& tuning) {
  number_words<Key> const words(order.direction);
  using item = keyed_value<typename number_words<Key>::word, Value>;
  auto const bytes = [](index_t i) { return i * index_t{sizeof(Value)}; };
  sort_segments<item>(
      threads, segments, order, tuning,
      [=](index_t i) {
        return pair_source<Key, Value>{keys + i, static_cast<std::byte const*>(values) + bytes(i),
                                       words};
      },
      [=](index_t i, index_t count) {
        return pair_sink<Key, Value>{out + i, static_cast<std::byte*>(values_out) + bytes(i), words,
                                     road_of(count * index_t{sizeof(Key) + sizeof(Value)})};
      },
      [](index_t) { return static_cast<item*>(nullptr); });
}

/// Sets positions[j] to the position among all keys of the key that comes j-th, each segment's in
/// its own places.
template <class Position, class To, class Order>
void sort_positions_in_segments(int threads, typename Order::key_type const* keys, To* positions,
                                item_segments const& segments, Order const& order,
                                sort_tuning const& tuning) {
  using item = keyed_value<typename Order::word_type, Position>;
  sort_segments<item>(
      threads, segments, order, tuning,
      [=](index_t i) {
        return position_source<Order, Position>{keys, order, i};
      },
      [=](index_t i, index_t count) {
        return value_sink<typename Order::word_type, Position, To>{
            positions + i, road_of(count * index_t{sizeof(To)})};
      },
      [](index_t) { return static_cast<item*>(nullptr); });
}

/// Sorts positions within segments, then moves keys and values, of any size, at once.
template <class Position, class Order>
void gather_segments(int threads, typename Order::key_type const* keys,
                     typename Order::key_type* out, void const* values, void* values_out,
                     std::size_t value_bytes, index_t n, item_segments const& segments,
                     Order const& order, sort_tuning const& tuning) {
  sort_memory<Position> const memory(n);
  Position* const positions = memory.data();
  sort_positions_in_segments<Position>(threads, keys, positions, segments, order, tuning);
  gather(threads, keys, out, sizeof(*keys), positions, n);
  if (value_bytes != 0) gather(threads, values, values_out, value_bytes, positions, n);
}

/// Sorts segments of numbers, with values of `value_bytes` bytes; 0: keys alone.
template <class Key>
void sort_bytes_in_segments(int threads, Key const* keys, Key* out, void const* values,
                            void* values_out, std::size_t value_bytes, index_t n,
                            index_t const* offsets, index_t count, sort_order<Key> const& order,
                            sort_tuning const& tuning) {
  check_sort(threads, n);
  item_segments const segments(threads, offsets, count, n);
  order.check();
  if (n == 0) return;
  bool const carried = value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
  if (!carried || !words_suffice(threads, keys, n)) {
    return with_position_type(n, [&]<class Position>(Position) {
      gather_segments<Position>(threads, keys, out, values, values_out, value_bytes, n, segments,
                                order, tuning);
    });
  }
  if (value_bytes == sizeof(std::uint32_t)) {
    return sort_pairs_in_segments<Key, std::uint32_t>(threads, keys, out, values, values_out,
                                                      segments, order, tuning);
  }
  if (value_bytes == sizeof(std::uint64_t)) {
    return sort_pairs_in_segments<Key, std::uint64_t>(threads, keys, out, values, values_out,
                                                      segments, order, tuning);
  }
  using word = typename number_words<Key>::word;
  number_words<Key> const words(order.direction);
  sort_segments<word>(
      threads, segments, order, tuning,
      [=](index_t i) {
        return key_source<Key>{keys + i, words};
      },
      [=](index_t i, index_t) {
        return key_sink<Key>{out + i, words};
      },
      [=](index_t i) { return keys == out ? nullptr : reinterpret_cast<word*>(out + i); });
}

}  // namespace detail

/// Sorts each segment of in[0..n-1] on its own into the same places of `out`, as `sort_keys` sorts:
/// segment s is items offsets[s] to offsets[s + 1] - 1, perhaps none; `offsets` has segments + 1
/// entries that ascend from 0 to n. Takes about as long for many tiny segments as for few huge
/// ones. `out` may be `in`. Key is a type of number. Memory for each thread: twice the longest
/// segment's keys, 1024 keys at least and 1 MiB at most; for larger segments that of `sort_keys`.
/// Throws as `sort_keys`, and `invalid_argument` for wrong offsets.
template <class Key>
void sort_keys_in_segments(int threads, Key const* in, Key* out, index_t n, index_t const* offsets,
                           index_t segments, sort_order<Key> const& order = {},
                           detail::sort_tuning const& tuning = {}) {
  detail::sort_bytes_in_segments(threads, in, out, nullptr, nullptr, 0, n, offsets, segments, order,
                                 tuning);
}

/// The same with values of any trivially copyable type, which move with their keys.
template <class Key, class Value>
void sort_pairs_in_segments(int threads, Key const* keys, Key* out, Value const* values,
                            Value* values_out, index_t n, index_t const* offsets, index_t segments,
                            sort_order<Key> const& order = {},
                            detail::sort_tuning const& tuning = {}) {
  static_assert(std::is_trivially_copyable_v<Value>);
  detail::sort_bytes_in_segments(threads, keys, out, values, values_out, sizeof(Value), n, offsets,
                                 segments, order, tuning);
}

/// The positions of the keys that `sort_keys_in_segments` would put in each place: segment s of
/// them is a permutation of offsets[s] ... offsets[s + 1] - 1. `positions` lie apart from `in`.
/// Memory and errors as there.
template <class Key>
void argsort_in_segments(int threads, Key const* in, index_t* positions, index_t n,
                         index_t const* offsets, index_t segments,
                         sort_order<Key> const& order = {},
                         detail::sort_tuning const& tuning = {}) {
  detail::check_sort(threads, n);
  detail::item_segments const all(threads, offsets, segments, n);
  order.check();
  if (n == 0) return;
  detail::with_position_type(n, [&]<class Position>(Position) {
    detail::sort_positions_in_segments<Position>(threads, in, positions, all, order, tuning);
  });
}

}  // namespace libscan::inline v1::cpu
