// SPDX-License-Identifier: Apache-2.0
// The items of the radix sort on CPU threads: the unsigned word of a key, by itself or next to a
// value, so that one write moves both. Words are computed when keys are read, and converted back
// when they are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/huge_pages.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu::detail {

/// Uninitialized space for `count` items of a trivial type, aligned to cache lines, in huge pages
/// if the system has them. Untouched pages take no memory.
template <class T>
class sort_memory {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  sort_memory() = default;

  /// Throws std::bad_alloc.
  explicit sort_memory(index_t count) {
    items_.reset(static_cast<T*>(cpu::allocate_pages(static_cast<std::size_t>(count) * sizeof(T))));
  }

  T* data() const { return items_.get(); }
  bool empty() const { return !items_; }

 private:
  struct release {
    void operator()(void* at) const { cpu::free_pages(at); }
  };
  std::unique_ptr<T, release> items_;
};

/// A key's word and its value.
template <class Word, class Value>
struct keyed_value {
  Word key;
  Value value;
};

template <class Word>
Word key_of(Word word) {
  return word;
}
template <class Word, class Value>
Word key_of(keyed_value<Word, Value> const& item) {
  return item.key;
}

/// The compared bits of a word.
template <class Word>
struct counting_bits {
  Word mask;

  Word operator()(Word word) const { return static_cast<Word>(word & mask); }
};

/// Numbers as the words of their order (`number_order`), and back: all integers, and floats that a
/// word determines, which are all but -0 and NaN. Loops over it are vectorized: they do not branch,
/// nor compare words.
template <class Key>
class number_words {
 public:
  using word = typename number_order<Key>::word_type;

  explicit number_words(sort_direction direction)
      : flip_(direction == sort_direction::descending ? static_cast<word>(~word{0}) : word{0}) {}

  word from(Key key) const {
    word const bits = bits_of(key);
    auto turned = static_cast<word>(is_float || std::is_signed_v<Key> ? sign : 0);
    if constexpr (is_float) turned = static_cast<word>((word{0} - (bits >> top)) | sign);
    return static_cast<word>(bits ^ turned ^ flip_);
  }

  /// Sets `key` to the number with this word.
  void to(word of_key, Key* key) const {
    auto const up = static_cast<word>(of_key ^ flip_);
    auto turned = static_cast<word>(is_float || std::is_signed_v<Key> ? sign : 0);
    if constexpr (is_float) turned = static_cast<word>(((up >> top) - 1) | sign);
    auto const bits = static_cast<word>(up ^ turned);
    // By bytes, since words may be in the memory of the keys.
    std::memcpy(static_cast<void*>(key), &bits, sizeof bits);
  }

  /// A word whose highest bit is set for a float that its word does not determine: -0 or NaN.
  static word lost(Key key) {
    constexpr auto magnitude = static_cast<word>(sign - 1);
    constexpr auto max_fraction =
        static_cast<word>((word{1} << libscan::detail::fraction_bits<Key>)-1);
    word const bits = bits_of(key);
    auto const nan = static_cast<word>((bits & magnitude) + max_fraction);
    auto const other = static_cast<word>(bits ^ sign);  // 0 for -0
    auto const zero = static_cast<word>(~other & (other - 1));
    return static_cast<word>(nan | zero);
  }

  /// Whether a key was lost: `found` joins the words of all keys by `|`.
  static bool any_lost(word found) { return (found >> top) != 0; }

  /// Whether words and keys are the same bits.
  bool trivial() const { return std::is_same_v<Key, word> && flip_ == 0; }

 private:
  static constexpr bool is_float = libscan::detail::fraction_bits<Key> != 0;
  static constexpr int top = 8 * sizeof(word) - 1;
  static constexpr auto sign = static_cast<word>(word{1} << top);

  static word bits_of(Key key) {
    word bits;
    std::memcpy(&bits, &key, sizeof bits);
    return bits;
  }

  word flip_;
};

/// Keys in an array.
template <class Key>
struct key_source {
  Key const* keys;
  number_words<Key> words;

  auto operator[](index_t i) const { return words.from(keys[i]); }
};

/// Keys and values in two arrays. The values may be of any type of Value's size.
template <class Key, class Value>
struct pair_source {
  Key const* keys;
  void const* values;
  number_words<Key> words;

  auto operator[](index_t i) const {
    keyed_value<typename number_words<Key>::word, Value> item{words.from(keys[i]), {}};
    auto const* at = static_cast<std::byte const*>(values) + i * index_t{sizeof(Value)};
    std::memcpy(&item.value, at, sizeof(Value));
    return item;
  }
};

/// Words of keys in an array from item `first` on, with the positions of the keys in it.
template <class Order, class Position>
struct position_source {
  typename Order::key_type const* keys;
  Order order;
  index_t first = 0;

  auto operator[](index_t i) const {
    return keyed_value<typename Order::word_type, Position>{order.word(keys[first + i]),
                                                            static_cast<Position>(first + i)};
  }
};

/// One word of each key, for keys in the order of `positions`.
template <class Order, class Position, class From>
struct word_source {
  typename Order::key_type const* keys;
  From const* positions;
  Order order;
  int which;

  auto operator[](index_t i) const {
    auto const at = static_cast<index_t>(positions[i]);
    return keyed_value<typename Order::word_type, Position>{order.word(keys[at], which),
                                                            static_cast<Position>(at)};
  }
};

/// to[i] = source[i] for i in [0, n).
template <class Source, class Item>
void copy_items(Source const& source, index_t n, Item* to) {
  for (index_t i = 0; i < n; ++i) to[i] = source[i];
}

/// The number of items that sinks copy before they write any.
inline constexpr index_t sink_items = 1024;

/// Writes a sink's copy.
template <class T>
void write_part(store_policy policy, T const* items, index_t count, void* to) {
  auto const bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (policy == store_policy::non_temporal) {
    cpu::stream_copy(items, to, bytes);
  } else {
    std::memcpy(to, items, bytes);
  }
}

/// Orders what sinks wrote before this thread's next writes.
inline void finish_parts(store_policy policy) {
  if (policy == store_policy::non_temporal) stream_fence();
}

// A sink takes sorted items: `put` writes `count` of them to places [place, place + count), unless
// it already `holds` them there; `finish` follows a thread's last `put`. A sink of words returns
// where these may be sorted (`words_in_place`).

/// Takes sorted words as keys.
template <class Key>
struct key_sink {
  using word = typename number_words<Key>::word;
  Key* keys;
  number_words<Key> words;
  store_policy policy = store_policy::cached;

  /// Whether the words at `items` already are the keys at `place`.
  bool holds(word const* items, index_t place) const {
    return words.trivial() && static_cast<void const*>(items) == keys + place;
  }
  /// The place where words may be stored and sorted to become keys; null if keys have other bits.
  word* words_in_place() const { return words.trivial() ? reinterpret_cast<word*>(keys) : nullptr; }
  void put(word const* items, index_t place, index_t count) const {
    if (holds(items, place)) return;
    if (words.trivial()) return detail::write_part(policy, items, count, keys + place);
    for (index_t i = 0; i < count; ++i) words.to(items[i], keys + place + i);
  }
  void finish() const { finish_parts(policy); }
};

/// Space for items with words and values in separate arrays, in memory of any type.
template <class Word, class Value>
struct parted_scratch {
  void* words;
  void* values;

  auto operator[](index_t i) const {
    keyed_value<Word, Value> item;
    std::memcpy(&item.key, static_cast<std::byte*>(words) + i * index_t{sizeof(Word)},
                sizeof(Word));
    std::memcpy(&item.value, static_cast<std::byte*>(values) + i * index_t{sizeof(Value)},
                sizeof(Value));
    return item;
  }
};

/// The space of items [begin, ...).
template <class Word, class Value>
parted_scratch<Word, Value> operator+(parted_scratch<Word, Value> const& scratch, index_t begin) {
  return {static_cast<std::byte*>(scratch.words) + begin * index_t{sizeof(Word)},
          static_cast<std::byte*>(scratch.values) + begin * index_t{sizeof(Value)}};
}

/// Splits sorted pairs into keys and values.
template <class Key, class Value>
struct pair_sink {
  using item = keyed_value<typename number_words<Key>::word, Value>;
  Key* keys;
  void* values;
  number_words<Key> words;
  store_policy policy = store_policy::cached;

  bool holds(item const*, index_t) const { return false; }
  template <class Word>
  bool holds(parted_scratch<Word, Value> const& items, index_t place) const {
    return words.trivial() && items.words == static_cast<void const*>(keys + place);
  }
  void put(item const* items, index_t place, index_t count) const {
    Key some_keys[sink_items];
    Value some_values[sink_items];
    for (index_t i = 0; i < count; i += sink_items) {
      index_t const some = std::min(sink_items, count - i);
      for (index_t k = 0; k < some; ++k) {
        words.to(items[i + k].key, some_keys + k);
        some_values[k] = items[i + k].value;
      }
      auto* const values_to =
          static_cast<std::byte*>(values) + (place + i) * index_t{sizeof(Value)};
      detail::write_part(policy, some_keys, some, keys + place + i);
      detail::write_part(policy, some_values, some, values_to);
    }
  }
  void finish() const { finish_parts(policy); }
};

/// Takes the values of sorted pairs, which may be stored where the values go, if they are as long.
template <class Word, class Value, class To>
struct value_sink {
  using item = keyed_value<Word, Value>;
  To* values;
  store_policy policy = store_policy::cached;

  bool holds(item const*, index_t) const { return false; }
  void put(item const* items, index_t place, index_t count) const {
    To some_values[sink_items];
    for (index_t i = 0; i < count; i += sink_items) {
      index_t const some = std::min(sink_items, count - i);
      for (index_t k = 0; k < some; ++k) some_values[k] = static_cast<To>(items[i + k].value);
      detail::write_part(policy, some_values, some, values + place + i);
    }
  }
  void finish() const { finish_parts(policy); }
};

/// How the memory that a source reads overlaps the memory that a sink writes: item i in the place
/// of item i for all arrays, for some, or none.
enum class meeting : std::uint8_t { none, some, same };

template <class Key>
meeting meeting_of(key_source<Key> const& from, key_sink<Key> const& to) {
  return from.keys == to.keys ? meeting::same : meeting::none;
}
template <class Key, class Value>
meeting meeting_of(pair_source<Key, Value> const& from, pair_sink<Key, Value> const& to) {
  bool const keys = from.keys == to.keys, values = from.values == to.values;
  return keys && values ? meeting::same : keys || values ? meeting::some : meeting::none;
}
template <class Order, class Position, class Sink>
meeting meeting_of(position_source<Order, Position> const&, Sink const&) {
  return meeting::none;
}
/// For a source that states it itself.
template <class Source, class Sink>
requires std::is_same_v<decltype(Source::meets), meeting const> meeting meeting_of(Source const&,
                                                                                   Sink const&) {
  return Source::meets;
}
template <class Order, class Position, class From, class Sink>
meeting meeting_of(word_source<Order, Position, From> const&, Sink const&) {
  return meeting::some;
}

}  // namespace libscan::inline v1::cpu::detail
