// SPDX-License-Identifier: Apache-2.0
// Writing items to many places at once: what goes to a bucket is gathered into whole cache lines,
// which go to memory without being read first.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <apps/radix_sort/sort_items_cpu.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1::cpu::detail {

/// Whole cache lines that are written together. That one is full the CPU cannot foresee: with two
/// at a time it is wrong half as often.
inline constexpr std::size_t lines_bytes = 128;

/// Writes cache lines to `to`, a multiple of 64 bytes.
template <std::size_t Bytes = lines_bytes>
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

/// Lines written by this thread come before whatever it writes next.
inline void finish_lines() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// The cache lines that one thread has in the making, some for each bucket.
template <class Item>
class line_writer {
  static_assert(lines_bytes % sizeof(Item) == 0);

 public:
  /// Bytes of room a writer needs, a multiple of `lines_bytes`.
  static index_t room_bytes(int buckets) {
    constexpr auto lines = static_cast<index_t>(lines_bytes);
    index_t const firsts = ceil_div(buckets * static_cast<index_t>(sizeof(index_t)), lines) * lines;
    return buckets * lines + firsts;
  }

  /// Items of bucket k go to places next[k], next[k] + 1, ... of `out`, whose address is a multiple
  /// of sizeof(Item). `next` is the writer's own from here on.
  line_writer(Item* out, std::byte* room, index_t* next, int buckets)
      : lines_(reinterpret_cast<Item*>(room)),
        next_(next),
        first_(reinterpret_cast<index_t*>(room + static_cast<std::size_t>(buckets) * lines_bytes)),
        buckets_(buckets) {
    // Places are counted from a multiple of 128 bytes on.
    auto const address = reinterpret_cast<std::uintptr_t>(out);
    assert(address % sizeof(Item) == 0);
    out_ = address - address % lines_bytes;
    auto const phase = static_cast<index_t>(address % lines_bytes / sizeof(Item));
    for (int bucket = 0; bucket < buckets; ++bucket) first_[bucket] = next[bucket] += phase;
  }

  void put(std::uint32_t bucket, Item const& item) {
    index_t const place = next_[bucket]++;
    index_t const slot = slot_of(place);
    Item* const lines = lines_ + bucket * lines_items;
    // Full lines wait for the bucket's next item: vectors read a line only after its last single
    // item has gone from the core's store buffer to the cache, which would be waited for.
    if (slot == 0) [[unlikely]]
      flush(lines, place - lines_items, first_[bucket]);
    lines[slot] = item;
  }

  /// Writes what is left.
  void finish() {
    for (int bucket = 0; bucket < buckets_; ++bucket) {
      index_t const end = next_[bucket];
      if (end == first_[bucket]) continue;
      index_t const begin = std::max(first_[bucket], end - 1 - slot_of(end - 1));
      copy_part(lines_ + bucket * lines_items, begin, end);
    }
    finish_lines();
  }

 private:
  static constexpr index_t lines_items = lines_bytes / sizeof(Item);

  static index_t slot_of(index_t place) { return place & (lines_items - 1); }

  void flush(Item const* lines, index_t begin, index_t first) {
    if (begin >= first) {
      write_lines(at(begin), lines);
    } else {
      copy_part(lines, first, begin + lines_items);
    }
  }

  void copy_part(Item const* lines, index_t begin, index_t end) {
    std::copy_n(lines + slot_of(begin), end - begin, at(begin));
  }

  Item* at(index_t place) const {
    return reinterpret_cast<Item*>(out_ + static_cast<std::uintptr_t>(place) * sizeof(Item));
  }

  std::uintptr_t out_;
  Item* lines_;
  index_t* next_;
  index_t* first_;
  int buckets_;
};

/// The same for items whose words and values go to two arrays: a line of each, filled side by side.
template <class Word, class Value>
class parted_line_writer {
  static_assert(sizeof(Word) == sizeof(Value));

 public:
  static index_t room_bytes(int buckets) {
    constexpr auto lines = static_cast<index_t>(sizeof(both_lines));
    index_t const firsts = ceil_div(buckets * static_cast<index_t>(sizeof(index_t)), lines) * lines;
    return buckets * lines + firsts;
  }

  /// Both arrays of `out` are `aligned`.
  parted_line_writer(parted_room<Word, Value> const& out, std::byte* room, index_t* next,
                     int buckets)
      : lines_(reinterpret_cast<both_lines*>(room)),
        next_(next),
        first_(reinterpret_cast<index_t*>(lines_ + buckets)),
        buckets_(buckets) {
    assert(out.aligned());
    // Places are counted from the beginning of a line on.
    index_t const phase = out.phase();
    words_ = static_cast<Word*>(out.words) - phase;
    values_ = static_cast<Value*>(out.values) - phase;
    for (int bucket = 0; bucket < buckets; ++bucket) first_[bucket] = next[bucket] += phase;
  }

  void put(std::uint32_t bucket, keyed_value<Word, Value> const& item) {
    index_t const place = next_[bucket]++;
    index_t const slot = slot_of(place);
    both_lines& lines = lines_[bucket];
    if (slot == 0) [[unlikely]]
      flush(lines, place - line_items, first_[bucket]);
    lines.words[slot] = item.key;
    lines.values[slot] = item.value;
  }

  /// Writes what is left.
  void finish() {
    for (int bucket = 0; bucket < buckets_; ++bucket) {
      index_t const end = next_[bucket];
      if (end == first_[bucket]) continue;
      copy_part(lines_[bucket], std::max(first_[bucket], end - 1 - slot_of(end - 1)), end);
    }
    finish_lines();
  }

 private:
  static constexpr index_t line_items = cache_line / sizeof(Word);

  struct alignas(cache_line) both_lines {
    Word words[line_items];
    Value values[line_items];
  };

  static index_t slot_of(index_t place) { return place & (line_items - 1); }

  void flush(both_lines const& lines, index_t begin, index_t first) {
    if (begin >= first) {
      write_lines<cache_line>(words_ + begin, lines.words);
      write_lines<cache_line>(values_ + begin, lines.values);
    } else {
      copy_part(lines, first, begin + line_items);
    }
  }

  void copy_part(both_lines const& lines, index_t begin, index_t end) {
    std::copy_n(lines.words + slot_of(begin), end - begin, words_ + begin);
    std::copy_n(lines.values + slot_of(begin), end - begin, values_ + begin);
  }

  Word* words_;
  Value* values_;
  both_lines* lines_;
  index_t* next_;
  index_t* first_;
  int buckets_;
};

/// The writer to a room.
template <class Item>
struct writer_to;
template <class Item>
struct writer_to<Item*> {
  using type = line_writer<Item>;
};
template <class Word, class Value>
struct writer_to<parted_room<Word, Value>> {
  using type = parted_line_writer<Word, Value>;
};

}  // namespace libscan::inline v1::cpu::detail
