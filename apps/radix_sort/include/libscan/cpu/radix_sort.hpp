// SPDX-License-Identifier: Apache-2.0
// The stable radix sort on CPU threads: keys, keys with values of any trivially copyable type, the
// positions that would sort (argsort), and each segment separately. See sorter.hpp for the
// algorithm.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/core/sort_overlap.hpp>
#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/cpu/sorter.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

inline void check_sort(int threads, index_t n) {
  if (threads >= 1 && n >= 0) return;
  throw invalid_argument("sort: threads >= 1 and n >= 0 expected, got " + std::to_string(threads) +
                         " and " + std::to_string(n));
}

/// Numbers in the order of numbers: their words are sorted and converted back. Other keys are
/// sorted by their words and positions, and moved once.
template <class Order>
inline constexpr bool sorts_words = std::is_same_v<Order, sort_order<typename Order::key_type>>;

/// Whether all of these numbers can be recovered from their words.
template <class Key>
bool words_suffice(int threads, Key const* keys, index_t n) {
  if constexpr (std::is_integral_v<Key>) {
    return true;
  } else {
    using words = number_words<Key>;
    pieces const all(threads, n);
    std::atomic<bool> suffice{true};
    detail::for_each_of(threads, all.count, [&](int, index_t p) {
      typename words::word lost = 0;
      detail::for_parts(all.begin(p), all.end(p), [&](index_t i, index_t count) {
        typename words::word here = 0;
        for (index_t k = i; k < i + count; ++k) {
          here = static_cast<typename words::word>(here | words::lost(keys[k]));
        }
        lost = static_cast<typename words::word>(lost | here);
      });
      if (words::any_lost(lost)) suffice.store(false, std::memory_order_relaxed);
    });
    return suffice.load();
  }
}

/// A sorter of items by the significant bits of word `w` of `order`.
template <class Item, class Order>
auto sorter_for(int threads, Order const& order, int w, sort_tuning const& tuning) {
  using by = counting_bits<typename Order::word_type>;
  return sorter<Item, by>(threads, by{order.counting(w)}, tuning);
}

/// Calls body(Position{}) with a type for the positions of n items.
template <class Body>
void with_position_type(index_t n, Body&& body) {
  if (n <= index_t{1} << 32) {
    body(std::uint32_t{});
  } else {
    body(std::uint64_t{});
  }
}

/// Sets positions[j] to the position of the key that comes j-th.
template <class Position, class To, class Order>
void sort_positions(int threads, typename Order::key_type const* keys, To* positions, index_t n,
                    Order const& order, sort_tuning const& tuning) {
  using word = typename Order::word_type;
  using item = keyed_value<word, Position>;
  // Items as long as positions are stored in the memory of these until they are sorted; positions
  // are written there as bytes, so no code reads them as items.
  constexpr bool in_place = sizeof(item) == sizeof(To);
  auto const policy = store_policy_for(n * index_t{sizeof(To)}, in_place);
  detail::sorter_for<item>(threads, order, 0, tuning)
      .sort(position_source<Order, Position>{keys, order}, n,
            value_sink<word, Position, To>{positions, policy},
            in_place ? reinterpret_cast<item*>(positions) : nullptr);
  for (int w = 1; w < Order::words; ++w) {
    if (order.counting(w) == 0) continue;
    detail::sorter_for<item>(threads, order, w, tuning)
        .sort(word_source<Order, Position, To>{keys, positions, order, w}, n,
              value_sink<word, Position, To>{positions, policy});
  }
}

/// out[j] = in[positions[j]] for items of `bytes` bytes, for the n places from `first` on, which
/// also hold all the positions. `out` may be `in`.
template <class Position>
void gather(int threads, void const* in, void* out, std::size_t bytes, Position const* positions,
            index_t n, index_t first = 0) {
  sort_memory<std::byte> copy;
  auto const size = static_cast<index_t>(bytes);
  pieces const all(threads, n);
  index_t skipped = 0;  // items of `in` that were not copied
  if (in == out && n > 0) {
    copy = sort_memory<std::byte>(n * size);
    detail::for_each_of(threads, all.count, [&](int, index_t p) {
      index_t const at = all.begin(p) * size;
      std::memcpy(copy.data() + at, static_cast<std::byte const*>(in) + first * size + at,
                  static_cast<std::size_t>(all.end(p) * size - at));
    });
    in = copy.data();
    skipped = first;
  }
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    auto* to = static_cast<std::byte*>(out) + (first + all.begin(p)) * size;
    for (index_t j = first + all.begin(p); j < first + all.end(p); ++j, to += size) {
      auto const from = static_cast<index_t>(positions[j]) - skipped;
      std::memcpy(to, static_cast<std::byte const*>(in) + from * size, bytes);
    }
  });
}

/// Sorts numbers as words, with values of 4, 8 or 0 bytes.
template <class Key>
void sort_words(int threads, Key const* keys, Key* out, void const* values, void* values_out,
                std::size_t value_bytes, index_t n, sort_order<Key> const& order,
                sort_tuning const& tuning) {
  using word = typename number_words<Key>::word;
  number_words<Key> const words(order.direction);
  auto const policy =
      store_policy_for(n * (index_t{sizeof(Key)} + static_cast<index_t>(value_bytes)));
  auto const sort_with = [&]<class Value>(Value) {
    auto sorter = detail::sorter_for<keyed_value<word, Value>>(threads, order, 0, tuning);
    pair_source<Key, Value> const source{keys, values, words};
    pair_sink<Key, Value> const sink{out, values_out, words, policy};
    if constexpr (sizeof(word) == sizeof(Value)) {
      // Pairs may be stored where they will go, if nothing is read from there.
      parted_scratch<word, Value> const scratch{out, values_out};
      bool const in_place = keys == out || values == values_out;
      if (!in_place && parted_target<word, Value>::fits(scratch))
        return sorter.sort(source, n, sink, scratch);
    }
    sorter.sort(source, n, sink);
  };
  if (value_bytes == sizeof(std::uint32_t)) return sort_with(std::uint32_t{});
  if (value_bytes == sizeof(std::uint64_t)) return sort_with(std::uint64_t{});
  detail::sorter_for<word>(threads, order, 0, tuning)
      .sort(key_source<Key>{keys, words}, n, key_sink<Key>{out, words},
            keys == out ? nullptr : reinterpret_cast<word*>(out));
}

/// `sort_pairs` for values of `value_bytes` bytes; 0: no values.
template <class Order>
void sort_bytes(int threads, typename Order::key_type const* keys, typename Order::key_type* out,
                void const* values, void* values_out, std::size_t value_bytes, index_t n,
                Order const& order, sort_tuning const& tuning) {
  using key_type = typename Order::key_type;
  check_sort(threads, n);
  order.check_bits();
  if (n == 0) return;
  if constexpr (sorts_words<Order>) {
    bool const carried = value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
    if (carried && detail::words_suffice(threads, keys, n)) {
      return detail::sort_words(threads, keys, out, values, values_out, value_bytes, n, order,
                                tuning);
    }
  }
  detail::with_position_type(n, [&]<class Position>(Position) {
    sort_memory<Position> const positions(n);
    detail::sort_positions<Position>(threads, keys, positions.data(), n, order, tuning);
    detail::gather(threads, keys, out, sizeof(key_type), positions.data(), n);
    if (value_bytes != 0)
      detail::gather(threads, values, values_out, value_bytes, positions.data(), n);
  });
}

}  // namespace detail

/// Sorts in[0..n-1] into out[0..n-1] on up to `threads` threads, by `order`: its direction, range
/// of bits, and the decomposition of user-defined keys (any trivially copyable type). Stable: keys
/// equal in the compared bits keep their order.
///
/// Aliasing: `out` may be `in`; any other overlap throws.
/// Types: a decomposition is called concurrently, and more than once per key.
/// Determinism: the result is the same for any number of threads.
/// Memory: keys already in order are only copied. For numbers: about 1 MiB per thread; in place n
/// more keys; up to n more keys if a large part of the keys shares high bits. Up to 8 KiB of keys
/// nothing is allocated, except a few KiB once per thread if vector code sorts. For floats that
/// include -0 or NaN, and for user-defined keys: n positions and n pairs of a word and a position.
/// Throws: `invalid_argument` (threads < 1, n < 0, invalid bits, overlap), std::bad_alloc, and what
/// a decomposition throws; `out` is then partly written.
template <class Key, class Order = sort_order<Key>>
void sort_keys(int threads, Key const* in, Key* out, index_t n, Order const& order = {},
               detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::refuse_memory<Key>();
  libscan::detail::sort_memory_places{detail::memory_of(in, n), detail::memory_of(out, n), {}, {}}
      .require_no_overlap("sort", true);
  detail::sort_bytes(threads, in, out, nullptr, nullptr, 0, n, order, tuning);
}

/// Sorts keys as `sort_keys`, and moves values of any trivially copyable type with them:
/// values_out[j] = values[i] wherever out[j] is keys[i].
/// Aliasing: each output may be its input; any other overlap throws.
/// Memory: n pairs, and up to n more as in `sort_keys`. About 2 MiB per thread suffice if keys and
/// values have the same size, neither is sorted in place, and both outputs have the same address
/// modulo a cache line. If many keys then share high bits, up to n pairs more; if they also share
/// lower ones, up to 2 n. For values of other sizes than 4 and 8 bytes: n pairs of a key and a
/// position, n positions, and in place n values.
template <class Key, class Value, class Order = sort_order<Key>>
void sort_pairs(int threads, Key const* keys, Key* out, Value const* values, Value* values_out,
                index_t n, Order const& order = {}, detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::refuse_memory<Key>();
  detail::refuse_memory<Value>();
  libscan::detail::sort_memory_places{detail::memory_of(keys, n), detail::memory_of(out, n),
                                      detail::memory_of(values, n),
                                      detail::memory_of(values_out, n)}
      .require_no_overlap("sort", true);
  detail::sort_bytes(threads, keys, out, values, values_out, sizeof(Value), n, order, tuning);
}

/// positions[j] = the position of the key that comes j-th: in[positions[j]] is sorted, and equal
/// keys have ascending positions. Otherwise as `sort_keys`.
/// Types: Index is an integer type of 32 or 64 bits that can represent n - 1.
/// Aliasing: `positions` must not overlap `in`.
/// Memory: n pairs of a word and a position of 4 bytes, or of 8 beyond 2^32 keys. None for up to
/// 2^32 keys with one word of up to 4 bytes, if positions have 8 bytes each. In both cases up to n
/// more as in `sort_keys`.
/// Throws: also `invalid_argument` if Index is too narrow.
template <class Key, class Index, class Order = sort_order<Key>>
void argsort(int threads, Key const* in, Index* positions, index_t n, Order const& order = {},
             detail::sort_tuning const& tuning = {}) {
  libscan::detail::refuse_order<Key, Order>();
  detail::check_sort(threads, n);
  libscan::detail::check_positions<Index>("argsort", n, detail::memory_of(in, n),
                                          detail::memory_of(positions, n));
  order.check_bits();
  if (n == 0) return;
  detail::with_position_type(n, [&]<class Position>(Position) {
    detail::sort_positions<Position>(threads, in, positions, n, order, tuning);
  });
}

}  // namespace libscan::inline v1::cpu
