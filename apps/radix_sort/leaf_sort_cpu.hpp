// SPDX-License-Identifier: Apache-2.0
// The stable sort of items that fit a core's cache, on one thread: LSD radix sort by the highest
// bits in which keys differ, as many as it takes to tell most keys apart, then a pass that sorts
// what still ties. Few items are inserted one by one; words alone may take vector code.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <apps/radix_sort/sort_items_cpu.hpp>
#include <apps/radix_sort/vector_sort_cpu.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// Up to as many items insertion is faster than counting.
inline constexpr index_t insertion_items = 32;

/// The 256 lines that are written at a time fit the L1 cache; 11 bits (2048 lines) need one pass
/// fewer for 32-bit keys, and took longer nevertheless (Sapphire Rapids, 2^13 to 2^18 items).
inline constexpr int leaf_digit_bits = 8;
inline constexpr int leaf_buckets = 1 << leaf_digit_bits;

/// Most passes before ties are looked for. Four digits tell 2^32 items apart.
inline constexpr int leaf_digits = 4;

template <class Item, class Order>
void insertion_sort(Item* items, index_t n, Order order) {
  for (index_t i = 1; i < n; ++i) {
    Item const moving = items[i];
    auto const word = order(key_of(moving));
    index_t to = i;
    for (; to > 0 && word < order(key_of(items[to - 1])); --to) items[to] = items[to - 1];
    items[to] = moving;
  }
}

/// What one look at keys tells.
template <class Word>
struct key_summary {
  Word differing = 0;  ///< bits in which not all words agree
  bool sorted = true;  ///< no word is below the one before

  void add(key_summary const& other) {
    differing = static_cast<Word>(differing | other.differing);
    sorted = sorted && other.sorted;
  }
};

/// The summary of items begin, begin + step, ... below `end`, each compared with the one `step`
/// before (if there is one) and with item 0.
template <class Items, class Order>
auto summarise(Items const& items, index_t begin, index_t end, index_t step, Order order) {
  using word = decltype(order(key_of(items[0])));
  word const first = order(key_of(items[0]));
  word differing = 0;
  word descents = 0;
  for (index_t i = std::max(begin, step); i < end; i += step) {
    word const here = order(key_of(items[i]));
    word const before = order(key_of(items[i - step]));
    differing = static_cast<word>(differing | (here ^ first));
    descents = static_cast<word>(descents | static_cast<word>(here < before ? 1 : 0));
  }
  return key_summary<word>{differing, descents == 0};
}

/// Bits [shift, shift + bits) of a word, at most 32.
struct digit {
  int shift;
  int bits;

  template <class Word>
  std::uint32_t of(Word word) const {
    return static_cast<std::uint32_t>(word >> shift) & (~std::uint32_t{0} >> (32 - bits));
  }
  int buckets() const { return 1 << bits; }
  int end_bit() const { return shift + bits; }
};

/// Items whose digits are found together, by vector instructions, before any of them is moved.
inline constexpr index_t digit_block = 256;

/// Calls visit(i, digit of item i) for each i in [begin, end), in order.
template <class Items, class Order, class Visit>
void for_each_digit(Items const& items, index_t begin, index_t end, Order order, digit by,
                    Visit visit) {
  std::uint32_t digits[digit_block];
  for (index_t i = begin; i < end; i += digit_block) {
    index_t const count = std::min(digit_block, end - i);
    for (index_t k = 0; k < count; ++k) digits[k] = by.of(order(key_of(items[i + k])));
    for (index_t k = 0; k < count; ++k) visit(i + k, digits[k]);
  }
}

/// How often each digit occurs, for consecutive digits from bit `base` on.
struct leaf_counts {
  std::uint32_t of[leaf_digits][leaf_buckets];

  template <class Item, class Order>
  void count(Item const* items, index_t n, int base, int digits, Order order) {
    for (int d = 0; d < digits; ++d) std::fill_n(of[d], leaf_buckets, 0U);
    for_each_digit(items, 0, n, order, {base, 32}, [&](index_t, std::uint32_t all) {
      ++of[0][all & 0xff];
      if (digits > 1) ++of[1][all >> 8 & 0xff];
      if (digits > 2) ++of[2][all >> 16 & 0xff];
      if (digits > 3) ++of[3][all >> 24];
    });
  }
};

/// One pass: items go to `to` in the order of a digit, whose counts become places.
template <class Item, class Order>
void leaf_pass(Item const* items, Item* to, index_t n, Order order, digit by,
               std::uint32_t* counts) {
  std::uint32_t sum = 0;
  for (int bucket = 0; bucket < leaf_buckets; ++bucket) {
    sum += std::exchange(counts[bucket], sum);
  }
  for_each_digit(items, 0, n, order, by,
                 [&](index_t i, std::uint32_t bucket) { to[counts[bucket]++] = items[i]; });
}

template <class Item, class Order>
Item* leaf_sort(Item* items, Item* partner, index_t n, Order order);

/// Sorts each run of items that agree in all bits from `shift` on.
template <class Item, class Order>
void sort_ties(Item* items, Item* partner, index_t n, int shift, Order order) {
  auto const prefix = [&](index_t i) { return order(key_of(items[i])) >> shift; };
  for (index_t begin = 0, i = 1; i < n; begin = i++) {
    auto const common = prefix(begin);
    while (i < n && prefix(i) == common) ++i;
    index_t const run = i - begin;
    if (run == 1) continue;
    Item* const sorted = leaf_sort(items + begin, partner + begin, run, order);
    if (sorted != items + begin) std::copy_n(sorted, run, items + begin);
  }
}

/// Sorts items that are words, of which all bits count, if vectors make that faster. Returns
/// whether.
template <class Item, class Order>
bool sort_words(Item* items, index_t n, Order order) {
  if constexpr (std::is_same_v<Item, std::uint32_t> || std::is_same_v<Item, std::uint64_t>) {
    if (order(static_cast<Item>(~Item{0})) != static_cast<Item>(~Item{0})) return false;
    if (!vector_sort_pays()) return false;
    vector_sort(items, n);
    return true;
  }
  return false;
}

/// Sorts `items` stably by `order`, a functor from keys to words, with `partner` as room for as
/// many. Returns which of the two holds the result; the other is then undefined. n < 2^32.
template <class Item, class Order>
Item* leaf_sort(Item* items, Item* partner, index_t n, Order order) {
  if (n <= insertion_items) {
    insertion_sort(items, n, order);
    return items;
  }
  auto const summary = summarise(items, 0, n, 1, order);
  if (summary.sorted || sort_words(items, n, order)) return items;

  // A few bits more than positions have: then ties are rare, whatever else the keys hold.
  int const top = std::bit_width(summary.differing);
  int const low = std::countr_zero(summary.differing);
  int const wanted = std::bit_width(static_cast<std::uint64_t>(n)) + 4;
  int const digits = std::min(leaf_digits, ceil_div(std::min(top - low, wanted), leaf_digit_bits));
  int const base = std::max(low, top - digits * leaf_digit_bits);
  leaf_counts counts;
  counts.count(items, n, base, digits, order);
  for (int d = 0; d < digits; ++d) {
    digit const by{base + d * leaf_digit_bits, leaf_digit_bits};
    std::uint32_t* const of_digit = counts.of[d];
    if (of_digit[by.of(order(key_of(items[0])))] == static_cast<std::uint64_t>(n)) continue;
    leaf_pass(items, partner, n, order, by, of_digit);
    std::swap(items, partner);
  }
  if (base > low) sort_ties(items, partner, n, base, order);
  return items;
}

}  // namespace libscan::inline v1::cpu::detail
