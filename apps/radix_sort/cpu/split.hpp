// SPDX-License-Identifier: Apache-2.0
// One stable split of many items by a digit of their keys, on CPU threads: count the digits of each
// piece of the input, scan the counts, write every item to its place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/radix_sort/cpu/leaf_sort.hpp>
#include <apps/radix_sort/cpu/line_writer.hpp>
#include <apps/radix_sort/cpu/sort_items.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/workers.hpp>

namespace libscan::inline v1::cpu::detail {

/// The division of [0, n) among the threads of a pass: several pieces per thread, in case one is
/// late.
struct pieces {
  index_t n;
  index_t length;
  index_t count;

  pieces(int threads, index_t items)
      : n(items),
        length(std::max(min_items, ceil_div<index_t>(items, index_t{4} * threads))),
        count(ceil_div(items, length)) {}

  index_t begin(index_t piece) const { return piece * length; }
  index_t end(index_t piece) const { return std::min(n, begin(piece) + length); }

 private:
  static constexpr index_t min_items = index_t{1} << 15;
};

/// Calls work(worker, k) for each k in [0, count), on up to `threads` threads; concurrent calls
/// have different numbers below min(threads, count). If it throws, calls may be omitted, and what
/// one of them threw leaves this call after all have ended.
template <class Work>
void for_each_of(int threads, index_t count, Work const& work) {
  std::atomic<index_t> ticket{0};
  std::atomic<int> workers{0};
  cpu::run_workers(static_cast<int>(std::min<index_t>(threads, count)), [&] {
    int const worker = workers++;
    for (index_t k = ticket++; k < count; k = ticket++) work(worker, k);
  });
}

/// Items of a part that a thread processes before the next. Reading the memory of 2^24 32-bit keys
/// takes 2.7 ms by parts of 64, 3.7 ms by parts of 256, and 8 ms from front to back (a Xeon, two
/// threads).
inline constexpr index_t split_part_items = 64;

/// Calls work(i, count) for parts [i, i + count) of up to `split_part_items` items that together
/// are [begin, end), alternating among four distant places: that keeps more misses in flight than
/// one.
template <class Work>
void for_parts(index_t begin, index_t end, Work const& work) {
  constexpr int places = 4;
  index_t const length = (end - begin) / (places * split_part_items) * split_part_items;
  for (index_t i = 0; i < length; i += split_part_items) {
    for (int k = 0; k < places; ++k) work(begin + k * length + i, split_part_items);
  }
  for (index_t i = begin + places * length; i < end; i += split_part_items) {
    work(i, std::min(split_part_items, end - i));
  }
}

/// A row of numbers per piece, one for each bucket: first counts, then places.
class split_table {
 public:
  split_table(index_t pieces, int buckets)
      : buckets_(buckets), numbers_(pieces * buckets), rows_(numbers_) {
    std::fill_n(rows_.data(), numbers_, index_t{0});
  }

  index_t* row(index_t piece) { return rows_.data() + piece * buckets_; }

  /// Converts counts into places, starting at `start`. Sets offsets[b] to the first place of bucket
  /// b, and offsets[buckets] to one past the last place; null: not wanted.
  void scan(index_t start, index_t* offsets) {
    for (int bucket = 0; bucket < buckets_; ++bucket) {
      if (offsets != nullptr) offsets[bucket] = start;
      for (index_t at = bucket; at < numbers_; at += buckets_) {
        start += std::exchange(rows_[at], start);
      }
    }
    if (offsets != nullptr) offsets[buckets_] = start;
  }

 private:
  int buckets_;
  index_t numbers_;
  small_buffer<index_t> rows_;
};

/// The summary of all items.
template <class Source, class Order>
auto summarize_all(int threads, Source const& source, index_t n, Order order) {
  using word = decltype(order(detail::key_of(source[0])));
  pieces const all(threads, n);
  std::vector<key_summary<word>> found(static_cast<std::size_t>(all.count));
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    key_summary<word> of_piece;
    detail::for_parts(all.begin(p), all.end(p), [&](index_t i, index_t count) {
      of_piece.add(detail::summarize(source, i, i + count, 1, order));
    });
    found[static_cast<std::size_t>(p)] = of_piece;
  });
  key_summary<word> result;
  for (auto const& one : found) result.add(one);
  return result;
}

/// The form in which loops read a map: a copy in registers, which no store can alias, except for a
/// map with memory of its own.
template <class Map>
using read_in_loops = std::conditional_t<std::is_trivially_copyable_v<Map>, Map const, Map const&>;

/// The most bits of a split's digit, and the most buckets of a split: skewed keys are split by
/// further bits (sorter.hpp).
inline constexpr int max_split_bits = 11;
inline constexpr int max_split_buckets = (1 << max_split_bits) + (1 << 11);

/// The number of some items in each bucket. 32-bit counters take half the time of 64-bit ones;
/// neighbors use different tables, since equal buckets would wait for each other's increment.
class bucket_counts {
 public:
  explicit bucket_counts(int buckets) : buckets_(buckets) {
    assert(buckets <= max_split_buckets);
    std::fill_n(even_, buckets, 0U);
    std::fill_n(odd_, buckets, 0U);
  }

  /// Counts some items by their buckets.
  void add(std::uint32_t const* found, index_t count) {
    index_t k = 0;
    for (; k + 2 <= count; k += 2) {
      ++even_[found[k]];
      ++odd_[found[k + 1]];
    }
    if (k < count) ++even_[found[k]];
  }

  /// Adds the counts to `counts`.
  void add_to(index_t* counts) const {
    for (int b = 0; b < buckets_; ++b) counts[b] += index_t{even_[b]} + index_t{odd_[b]};
  }

 private:
  int buckets_;
  std::uint32_t even_[max_split_buckets];
  std::uint32_t odd_[max_split_buckets];
};

/// Counts items [begin, end) by bucket, and adds to `counts`. find(i, count, found) sets found[k]
/// to the bucket of item i + k, for parts of up to `split_part_items` items, by vector instructions
/// before any of them is counted.
template <class Find>
void count_parts(index_t begin, index_t end, int buckets, index_t* counts, Find const& find) {
  constexpr index_t max_items = index_t{1} << 31;  // the limit of 32-bit counters
  for (index_t next = begin; begin < end; begin = next) {
    next = std::min(end, begin + max_items);
    bucket_counts some(buckets);
    detail::for_parts(begin, next, [&](index_t i, index_t count) {
      std::uint32_t found[split_part_items];
      find(i, count, found);
      some.add(found, count);
    });
    some.add_to(counts);
  }
}

/// Adds the number of items [begin, end) in each bucket to `counts`. Returns the bits in which
/// their words and that of item 0 do not all agree.
template <class Source, class Order, class Map>
auto count_piece(Source source, index_t begin, index_t end, Order order, Map const& map,
                 index_t* counts) {
  using word = decltype(order(detail::key_of(source[0])));
  read_in_loops<Map> own = map;
  word const first = order(detail::key_of(source[0]));
  word differing = 0;
  int const buckets = map.buckets();
  detail::count_parts(begin, end, buckets, counts,
                      [&](index_t i, index_t count, std::uint32_t* found) {
                        word here_differing = 0;
                        for (index_t k = 0; k < count; ++k) {
                          word const here = order(detail::key_of(source[i + k]));
                          here_differing = static_cast<word>(here_differing | (here ^ first));
                          found[k] = own.of(here);
                        }
                        differing = static_cast<word>(differing | here_differing);
                      });
  return differing;
}

/// Passes items [begin, end) to `lines`, each for its bucket.
template <class Source, class Order, class Map, class Lines>
void scatter_piece(Source source, index_t begin, index_t end, Order order, Map const& map,
                   Lines lines) {
  read_in_loops<Map> own = map;
  lines.put(
      end - begin, [&](index_t k) { return own.of(order(detail::key_of(source[begin + k]))); },
      [=](index_t k) { return source[begin + k]; });
  lines.finish();
}

}  // namespace libscan::inline v1::cpu::detail
