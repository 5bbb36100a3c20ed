// SPDX-License-Identifier: Apache-2.0
// The results of the chapter's kernels, computed on the host: a chain in which each repetition of a
// primitive works on words that depend on the results of the one before; and device-wide
// operations.
#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>
#include <span>
#include <thread>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::bench::chapter {

/// The thread's word for the next repetition (a linear congruence plus the result): no repetition
/// can be dropped, moved out of the loop, or begun early.
LIBSCAN_HOST_DEVICE constexpr unsigned next_word(unsigned x, unsigned result) {
  return x * 1664525u + 1013904223u + result;
}

/// A primitive's item from a thread's word: its `Bits` lowest bits. One bit is the thread's
/// predicate.
template <int Bits = 1>
LIBSCAN_HOST_DEVICE constexpr unsigned item_of(unsigned x) {
  return x & ((1u << Bits) - 1);
}

/// The words of all threads after `repetitions`. results(words, out) gives one block's results.
/// Uses one host thread per core.
template <class Results>
std::vector<unsigned> chain(std::vector<unsigned> words, int block_threads, int repetitions,
                            Results results) {
  auto const threads = static_cast<std::size_t>(block_threads);
  std::atomic<std::size_t> next{0};
  auto const work = [&] {
    std::vector<unsigned> result(threads);
    for (std::size_t at; (at = next.fetch_add(threads)) + threads <= words.size();) {
      std::span<unsigned> const block(words.data() + at, threads);
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        results(std::span<unsigned const>(block), std::span<unsigned>(result));
        for (std::size_t i = 0; i < threads; ++i) block[i] = next_word(block[i], result[i]);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  return words;
}

/// Each thread's own item: the chain without a primitive.
inline void own_items(std::span<unsigned const> words, std::span<unsigned> out) {
  std::transform(words.begin(), words.end(), out.begin(), item_of<1>);
}

/// The number of true predicates of the block, for every thread.
inline void counts(std::span<unsigned const> words, std::span<unsigned> out) {
  unsigned count = 0;
  for (unsigned const x : words) count += item_of<1>(x);
  std::fill(out.begin(), out.end(), count);
}

/// Exclusive prefix sums of the items of `Bits` bits in each group of `group` threads.
template <int Bits>
struct prefixes {
  std::size_t group;
  void operator()(std::span<unsigned const> words, std::span<unsigned> out) const {
    for (std::size_t begin = 0; begin < words.size(); begin += group) {
      unsigned sum = 0;
      for (std::size_t i = begin; i < begin + group; ++i) {
        out[i] = sum;
        sum += item_of<Bits>(words[i]);
      }
    }
  }
};

/// The block's words in ascending order.
inline void sorted(std::span<unsigned const> words, std::span<unsigned> out) {
  std::copy(words.begin(), words.end(), out.begin());
  std::sort(out.begin(), out.end());
}

// Device-wide operations on all items.

/// The predicate of an item: whether that bit of it is 0. For the highest bit: x < 2^31.
struct bit_is_clear {
  int bit = 31;
  LIBSCAN_HOST_DEVICE constexpr bool operator()(unsigned x) const { return (x >> bit & 1u) == 0; }
};

/// For each item, the number of earlier items with the predicate.
inline std::vector<unsigned> ranks_of(std::span<unsigned const> items, bit_is_clear marks) {
  std::vector<unsigned> ranks(items.size());
  unsigned rank = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    ranks[i] = rank;
    rank += marks(items[i]) ? 1 : 0;
  }
  return ranks;
}

/// The items with the predicate, in their order.
inline std::vector<unsigned> kept_of(std::span<unsigned const> items, bit_is_clear marks) {
  std::vector<unsigned> kept;
  kept.reserve(items.size());
  std::copy_if(items.begin(), items.end(), std::back_inserter(kept), marks);
  return kept;
}

/// All items in ascending order.
inline std::vector<unsigned> sorted_of(std::span<unsigned const> items) {
  std::vector<unsigned> sorted(items.begin(), items.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace libscan::bench::chapter
