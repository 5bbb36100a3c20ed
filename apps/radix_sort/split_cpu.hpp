// SPDX-License-Identifier: Apache-2.0
// One stable split of many items by a digit of their keys, on CPU threads: count the digits of each
// piece of the input, scan the counts, write every item to its place. Writes are combined into
// whole cache lines, which go to memory without being read first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <apps/radix_sort/leaf_sort_cpu.hpp>
#include <apps/radix_sort/sort_items_cpu.hpp>
#include <apps/radix_sort/sort_memory_cpu.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/workers.hpp>

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

/// How [0, n) is cut for the threads of a pass: into some pieces for each, in case one is late.
struct pieces {
  index_t n;
  index_t length;
  index_t count;

  pieces(int threads, index_t items)
      : n(items),
        length(std::max(least, ceil_div<index_t>(items, index_t{4} * threads))),
        count(ceil_div(items, length)) {}

  index_t begin(index_t piece) const { return piece * length; }
  index_t end(index_t piece) const { return std::min(n, begin(piece) + length); }

 private:
  static constexpr index_t least = index_t{1} << 15;
};

/// Calls work(worker, k) for each k in [0, count), on up to `threads` threads; those at work at the
/// same time have different numbers below min(threads, count). `work` must not throw.
template <class Work>
void for_each_of(int threads, index_t count, Work const& work) {
  std::atomic<index_t> ticket{0};
  std::atomic<int> workers{0};
  run_workers(static_cast<int>(std::min<index_t>(threads, count)), [&] {
    int const worker = workers++;
    for (index_t k = ticket++; k < count; k = ticket++) work(worker, k);
  });
}

/// A row of numbers for each piece, one for each bucket: first counts, then places.
class split_table {
 public:
  split_table(index_t pieces, int buckets)
      : buckets_(buckets), rows_(static_cast<std::size_t>(pieces * buckets)) {}

  index_t* row(index_t piece) { return rows_.data() + piece * buckets_; }

  /// Turns counts into places, the first of which is `start`. Returns the first place of each
  /// bucket, and one past the last place.
  std::vector<index_t> scan(index_t start) {
    std::vector<index_t> offsets;
    auto const buckets = static_cast<std::size_t>(buckets_);
    offsets.reserve(buckets + 1);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      offsets.push_back(start);
      for (std::size_t at = bucket; at < rows_.size(); at += buckets) {
        start += std::exchange(rows_[at], start);
      }
    }
    offsets.push_back(start);
    return offsets;
  }

 private:
  int buckets_;
  std::vector<index_t> rows_;
};

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

/// The summary of all items.
template <class Source, class Order>
auto summarise_all(int threads, Source const& source, index_t n, Order order) {
  using word = decltype(order(key_of(source[0])));
  pieces const all(threads, n);
  std::vector<key_summary<word>> found(static_cast<std::size_t>(all.count));
  for_each_of(threads, all.count, [&](int, index_t p) {
    found[static_cast<std::size_t>(p)] = summarise(source, all.begin(p), all.end(p), 1, order);
  });
  key_summary<word> result;
  for (auto const& one : found) result.add(one);
  return result;
}

/// What loops read a map from: a copy in registers, which nothing they write can be part of, but of
/// a map with memory of its own.
template <class Map>
using read_in_loops = std::conditional_t<std::is_trivially_copyable_v<Map>, Map const, Map const&>;

/// Items whose buckets are found together, by vector instructions, before any of them is counted.
inline constexpr index_t digit_block = 256;

/// Adds how many of items [begin, end) belong to each bucket to `counts`. Returns the bits in which
/// their words and that of item 0 do not all agree.
template <class Source, class Order, class Map>
auto count_piece(Source source, index_t begin, index_t end, Order order, Map const& map,
                 index_t* counts) {
  using word = decltype(order(key_of(source[0])));
  read_in_loops<Map> own = map;
  word const first = order(key_of(source[0]));
  word differing = 0;
  std::uint32_t buckets[digit_block];
  for (index_t i = begin; i < end; i += digit_block) {
    index_t const count = std::min(digit_block, end - i);
    for (index_t k = 0; k < count; ++k) {
      word const here = order(key_of(source[i + k]));
      differing = static_cast<word>(differing | (here ^ first));
      buckets[k] = own.of(here);
    }
    for (index_t k = 0; k < count; ++k) ++counts[buckets[k]];
  }
  return differing;
}

/// Hands items [begin, end) to `lines`, each for its bucket.
template <class Source, class Order, class Map, class Lines>
void scatter_piece(Source source, index_t begin, index_t end, Order order, Map const& map,
                   Lines lines) {
  read_in_loops<Map> own = map;
  for (index_t i = begin; i < end; ++i) {
    auto const item = source[i];
    lines.put(own.of(order(key_of(item))), item);
  }
  lines.finish();
}

}  // namespace libscan::inline v1::cpu::detail
