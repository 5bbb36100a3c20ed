// SPDX-License-Identifier: Apache-2.0
// Writing items to many places at once: items of a bucket are gathered into whole cache lines,
// which are written to memory without being read first.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <apps/radix_sort/cpu/sort_items.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1::cpu::detail {

/// Bytes of whole cache lines that are written together. The CPU cannot predict when a line is
/// full: with two at a time it mispredicts half as often.
inline constexpr std::size_t lines_bytes = 128;

/// Writes cache lines to `to`, a multiple of 64 bytes.
template <std::size_t Bytes>
void write_lines(void* to, void const* from) {
#ifdef __SSE2__
  auto* const out = static_cast<__m128i*>(to);
  auto const* const in = static_cast<__m128i const*>(from);
  for (std::size_t k = 0; k < Bytes / sizeof(__m128i); ++k) {
    _mm_stream_si128(out + k, _mm_load_si128(in + k));
  }
#else
  std::memcpy(to, from, Bytes);
#endif
}

/// Orders the lines of this thread before its next writes.
inline void finish_lines() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// The destination of contiguous items: lines of them, and an address for each place, counted from
/// the start of a line.
template <class Item>
class item_target {
  static_assert(lines_bytes % sizeof(Item) == 0);

 public:
  static constexpr index_t line_items = lines_bytes / sizeof(Item);
  struct alignas(cache_line) lines {
    Item items[static_cast<std::size_t>(line_items)];
    void set(index_t slot, Item const& item) { items[slot] = item; }
  };

  /// `out`: a multiple of sizeof(Item).
  explicit item_target(Item* out) {
    auto const address = reinterpret_cast<std::uintptr_t>(out);
    assert(address % sizeof(Item) == 0);
    phase_ = static_cast<index_t>(address % lines_bytes / sizeof(Item));
    begin_ = address - address % lines_bytes;
  }

  index_t phase() const { return phase_; }
  void write(lines const& from, index_t place) const {
    detail::write_lines<lines_bytes>(at(place), from.items);
  }
  void copy(lines const& from, index_t slot, index_t count, index_t place) const {
    std::copy_n(from.items + slot, count, at(place));
  }

 private:
  Item* at(index_t place) const {
    return reinterpret_cast<Item*>(begin_ + static_cast<std::uintptr_t>(place) * sizeof(Item));
  }

  std::uintptr_t begin_;
  index_t phase_;
};

/// The destination of items whose words and values go to two arrays: LineBytes of the shorter ones,
/// and as many of the others, gathered as pairs, so that one store writes an item.
template <class Word, class Value, std::size_t LineBytes = cache_line>
class parted_target {
  static constexpr std::size_t in_line = LineBytes / std::min(sizeof(Word), sizeof(Value));
  static_assert(LineBytes % cache_line == 0 && (in_line & (in_line - 1)) == 0);

 public:
  static constexpr auto line_items = static_cast<index_t>(in_line);
  struct alignas(cache_line) lines {
    keyed_value<Word, Value> items[in_line];
    void set(index_t slot, keyed_value<Word, Value> const& item) { items[slot] = item; }
  };

  /// Whether lines of both begin at the same items. Those of new memory do.
  static bool fits(parted_scratch<Word, Value> const& out) {
    parted_target const here(out, phase_of(out));
    return here.words_ % LineBytes == 0 && here.values_ % LineBytes == 0;
  }

  /// `out` fits.
  explicit parted_target(parted_scratch<Word, Value> const& out)
      : parted_target(out, phase_of(out)) {
    assert(fits(out));
  }

  index_t phase() const { return phase_; }
  void write(lines const& from, index_t place) const {
    alignas(cache_line) Word words[in_line];
    alignas(cache_line) Value values[in_line];
    part(from.items, line_items, words, values);
    detail::write_lines<sizeof words>(at<Word>(words_, place), words);
    detail::write_lines<sizeof values>(at<Value>(values_, place), values);
  }
  void copy(lines const& from, index_t slot, index_t count, index_t place) const {
    part(from.items + slot, count, at<Word>(words_, place), at<Value>(values_, place));
  }

 private:
  parted_target(parted_scratch<Word, Value> const& out, index_t phase)
      : words_(reinterpret_cast<std::uintptr_t>(out.words) -
               static_cast<std::uintptr_t>(phase) * sizeof(Word)),
        values_(reinterpret_cast<std::uintptr_t>(out.values) -
                static_cast<std::uintptr_t>(phase) * sizeof(Value)),
        phase_(phase) {}

  /// The place of the first item in a line of the shorter ones.
  static index_t phase_of(parted_scratch<Word, Value> const& out) {
    void const* const shorter = sizeof(Word) <= sizeof(Value) ? out.words : out.values;
    auto const address = reinterpret_cast<std::uintptr_t>(shorter);
    return static_cast<index_t>(address % LineBytes / std::min(sizeof(Word), sizeof(Value)));
  }

  static void part(keyed_value<Word, Value> const* items, index_t count, Word* words,
                   Value* values) {
    for (index_t i = 0; i < count; ++i) {
      words[i] = items[i].key;
      values[i] = items[i].value;
    }
  }
  template <class T>
  static T* at(std::uintptr_t begin, index_t place) {
    return reinterpret_cast<T*>(begin + static_cast<std::uintptr_t>(place) * sizeof(T));
  }

  std::uintptr_t words_, values_;
  index_t phase_;
};

/// The incomplete cache lines of one thread, some per bucket.
template <class Target>
class line_writer {
 public:
  /// Bytes of memory for a writer, a multiple of a cache line.
  static constexpr index_t buffer_bytes(int buckets) {
    auto const firsts = buckets * static_cast<index_t>(sizeof(index_t));
    return buckets * static_cast<index_t>(sizeof(lines)) +
           ceil_div(firsts, index_t{cache_line}) * cache_line;
  }

  /// Items of bucket k go to places next[k], next[k] + 1, ... of `to`. `next` belongs to the writer
  /// from here on. `buffer` begins at a cache line.
  line_writer(Target const& to, std::byte* buffer, index_t* next, int buckets)
      : to_(to),
        lines_(reinterpret_cast<lines*>(buffer)),
        next_(next),
        first_(reinterpret_cast<index_t*>(lines_ + buckets)),
        buckets_(buckets) {
    for (int bucket = 0; bucket < buckets; ++bucket) first_[bucket] = next[bucket] += to.phase();
  }

  /// Puts item_at(k) into bucket bucket_at(k), for each k in [0, count), in this order.
  template <class BucketAt, class ItemAt>
  void put(index_t count, BucketAt bucket_at, ItemAt item_at) {
    // Copies in registers: compilers must assume that the loop's stores alias the writer.
    index_t* const next = next_;
    lines* const all = lines_;
    for (index_t k = 0; k < count; ++k) {
      std::uint32_t const bucket = bucket_at(k);
      index_t const place = next[bucket]++;
      index_t const slot = slot_of(place);
      // Full lines wait for the bucket's next item: vectors can only read a line after its last
      // item has moved from the core's store buffer to the cache, and would wait for that.
      if (slot == 0) [[unlikely]]
        flush(all[bucket], place - line_items, first_[bucket]);
      all[bucket].set(slot, item_at(k));
    }
  }

  /// Writes all incomplete lines.
  void finish() {
    for (int bucket = 0; bucket < buckets_; ++bucket) {
      index_t const end = next_[bucket];
      if (end == first_[bucket]) continue;
      index_t const begin = std::max(first_[bucket], end - 1 - slot_of(end - 1));
      to_.copy(lines_[bucket], slot_of(begin), end - begin, begin);
    }
    finish_lines();
  }

 private:
  using lines = typename Target::lines;
  static constexpr index_t line_items = Target::line_items;

  static index_t slot_of(index_t place) { return place & (line_items - 1); }

  [[gnu::noinline]] void flush(lines const& full, index_t begin, index_t first) {
    if (begin >= first) {
      to_.write(full, begin);
    } else {
      to_.copy(full, slot_of(first), begin + line_items - first, first);
    }
  }

  Target to_;
  lines* lines_;
  index_t* next_;
  index_t* first_;
  int buckets_;
};

/// The destination of items in a `scratch`.
template <class Scratch>
struct target_in;
template <class Item>
struct target_in<Item*> {
  using type = item_target<Item>;
};
template <class Word, class Value>
struct target_in<parted_scratch<Word, Value>> {
  using type = parted_target<Word, Value>;
};

}  // namespace libscan::inline v1::cpu::detail
