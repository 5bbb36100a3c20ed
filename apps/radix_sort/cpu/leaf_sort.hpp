// SPDX-License-Identifier: Apache-2.0
// The stable sort of items that fit in a core's cache, on one thread: LSD radix sort by the highest
// bits in which keys differ, enough of them to distinguish most keys, then a pass that sorts the
// remaining ties. Few items are sorted differently; words without values may use
// vector code.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <apps/radix_sort/cpu/sort_items.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// Whether `vector_sort`, which is Highway's VQSort, is faster than counting on this CPU.
/// (Wassenberg, Blacher, Giesen, Sanders: Vectorized and performance-portable Quicksort, 2022.)
bool vector_sort_pays();

/// Sorts words[0..n-1], which are compared by all bits, ascending. Not stable, which makes no
/// difference for words. A thread's first call allocates a few KiB, which it keeps until it ends.
void vector_sort(std::uint32_t* words, index_t n);
void vector_sort(std::uint64_t* words, index_t n);

// The stable sort of a few items on a CPU, without branches that depend on keys: each is compared
// with each. More than a handful, if word and place fit in one register, use a sorting network
// (Batcher's merge exchange; Knuth, The Art of Computer Programming 3, 5.2.2M).

/// Up to this many items it is faster than counting digits.
template <class Word>
inline constexpr index_t few_items = sizeof(Word) < 8 ? 32 : 16;

/// Calls exchange(i, j), i < j, for all exchanges of a network that sorts n > 1 items.
template <class Exchange>
constexpr void for_each_exchange(int n, Exchange exchange) {
  int top = 1;
  while (2 * top < n) top *= 2;
  for (int p = top; p > 0; p /= 2) {
    int q = top, r = 0, d = p;
    while (true) {
      for (int i = 0; i + d < n; ++i) {
        if ((i & p) == r) exchange(i, i + d);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

constexpr int count_exchanges(int n) {
  int count = 0;
  for_each_exchange(n, [&](int, int) { ++count; });
  return count;
}

/// The exchanges of a network.
template <int Items>
inline constexpr auto exchanges = [] {
  constexpr auto count = static_cast<std::size_t>(count_exchanges(Items));
  std::array<std::pair<int, int>, count> all{};
  std::size_t next = 0;
  detail::for_each_exchange(Items, [&](int i, int j) { all[next++] = {i, j}; });
  return all;
}();

/// Puts the smaller of two first.
inline void exchange(std::uint64_t& a, std::uint64_t& b) {
  std::uint64_t const low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

/// Sorts `Items` words. Not inlined, to have one copy.
template <int Items>
[[gnu::noinline]] void sort_words_by_network(std::uint64_t* words) {
  std::uint64_t w[static_cast<std::size_t>(Items)];  // in registers
  for (int i = 0; i < Items; ++i) w[i] = words[i];
  [&]<std::size_t... Pair>(std::index_sequence<Pair...>) {
    (detail::exchange(w[exchanges<Items>[Pair].first], w[exchanges<Items>[Pair].second]), ...);
  }
  (std::make_index_sequence<exchanges<Items>.size()>{});
  for (int i = 0; i < Items; ++i) words[i] = w[i];
}

/// Sorts n > 16 items stably into `to`. A word combined with its place is unique and identifies the
/// item.
template <class Item, class Order>
void sort_by_network(Item const* items, Item* to, index_t n, Order order) {
  constexpr int place_bits = 8;
  constexpr index_t max_items = 32;
  std::uint64_t words[max_items];
  for (index_t i = 0; i < n; ++i) {
    words[i] =
        std::uint64_t{order(detail::key_of(items[i]))} << place_bits | static_cast<unsigned>(i);
  }
  for (index_t i = n; i < max_items; ++i) words[i] = ~std::uint64_t{0};
  n <= 24 ? sort_words_by_network<24>(words) : sort_words_by_network<32>(words);
  for (index_t i = 0; i < n; ++i) to[i] = items[words[i] & ((1U << place_bits) - 1)];
}

/// Sorts up to `few_items` items stably into `to`.
template <class Item, class Order>
void sort_few_items(Item const* items, Item* to, index_t n, Order order) {
  using word = decltype(order(detail::key_of(items[0])));
  constexpr index_t few = 16;  // up to here a network takes as long, or longer (Zen 4)
  if constexpr (sizeof(word) <= 4) {
    if (n > few) return detail::sort_by_network(items, to, n, order);
  }
  // The place of each is the number of items before it.
  word words[few];
  for (index_t i = 0; i < n; ++i) words[i] = order(detail::key_of(items[i]));
  for (index_t i = 0; i < n; ++i) {
    auto const own = words[i];
    int before = 0;
    for (index_t k = 0; k < i; ++k) before += words[k] <= own ? 1 : 0;
    for (index_t k = i + 1; k < n; ++k) before += words[k] < own ? 1 : 0;
    to[before] = items[i];
  }
}

/// The most bits of a digit. With narrow ones, the 256 lines being written fit in any L1 cache;
/// wide ones save a pass for what a split leaves of most keys.
inline constexpr int narrow_leaf_digit = 8;
inline constexpr int wide_leaf_digit = 11;

/// Whether to sort leaves by wide digits: not on Intel's CPUs, since a Sapphire Rapids takes longer
/// (2^13 to 2^18 items); on others, since a Zen 4 takes 0.6 to 0.75 times as long.
inline bool wide_leaf_digits_pay() {
#if defined(__x86_64__)
  static bool const pay = __builtin_cpu_is("intel") == 0;
  return pay;
#else
  return true;
#endif
}

/// The most passes before ties are sorted. Four digits distinguish 2^32 items.
inline constexpr int leaf_digits = 4;

/// The result of one look at keys.
template <class Word>
struct key_summary {
  Word differing = 0;  ///< bits in which not all words agree
  bool sorted = true;  ///< no word is smaller than the one before

  void add(key_summary const& other) {
    differing = static_cast<Word>(differing | other.differing);
    sorted = sorted && other.sorted;
  }
};

/// See `summarize`.
template <class Items, class Step, class Order>
auto summarize_by(Items const& items, index_t begin, index_t end, Step step, Order order) {
  using word = decltype(order(detail::key_of(items[0])));
  word const first = order(detail::key_of(items[0]));
  word differing = 0;
  word descents = 0;
  for (index_t i = std::max<index_t>(begin, step); i < end; i += step) {
    word const here = order(detail::key_of(items[i]));
    word const before = order(detail::key_of(items[i - step]));
    differing = static_cast<word>(differing | (here ^ first));
    descents = static_cast<word>(descents | static_cast<word>(here < before ? 1 : 0));
  }
  return key_summary<word>{differing, descents == 0};
}

/// The summary of items begin, begin + step, ... below `end`, each compared with the one `step`
/// before (if there is one) and with item 0.
template <class Items, class Order>
auto summarize(Items const& items, index_t begin, index_t end, index_t step, Order order) {
  // Neighbors are compared with vector instructions, which a variable step would prevent.
  if (step == 1) {
    return detail::summarize_by(items, begin, end, std::integral_constant<index_t, 1>{}, order);
  }
  return detail::summarize_by(items, begin, end, step, order);
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

/// The digits of the passes over a leaf, from bit `base` on.
struct leaf_plan {
  int base;
  int digits;
  int bits;  // of each digit

  /// For the `differing` bits of n words: enough digits for a few bits more than positions have,
  /// since ties are then rare for all keys.
  template <class Word>
  leaf_plan(Word differing, index_t n, bool wide) {
    int const top = static_cast<int>(std::bit_width(differing));
    int const low = std::countr_zero(differing);
    int const width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
    int const wanted = std::min(top - low, width + 4);
    // More counts than one per two items would take longer to clear and add up than they save.
    int const max_bits =
        wide ? std::clamp(width - 2, narrow_leaf_digit, wide_leaf_digit) : narrow_leaf_digit;
    digits = std::min(leaf_digits, ceil_div(wanted, max_bits));
    bits = std::min(max_bits, ceil_div(top - low, digits));
    base = std::max(low, top - digits * bits);
  }

  digit at(int d) const { return {base + d * bits, bits}; }
};

/// How often each value of each digit occurs.
class leaf_counts {
 public:
  template <class Item, class Order>
  leaf_counts(Item const* items, index_t n, leaf_plan const& plan, Order order) : bits_(plan.bits) {
    std::fill_n(counts_, plan.digits << bits_, 0U);
    if (plan.digits == 1) {
      count<1>(items, n, plan, order);
    } else if (plan.digits == 2) {
      count<2>(items, n, plan, order);
    } else if (plan.digits == 3) {
      count<3>(items, n, plan, order);
    } else {
      count<4>(items, n, plan, order);
    }
  }

  /// The counts of digit d, for each of its values.
  std::uint32_t* of(int d) { return counts_ + (d << bits_); }

 private:
  template <int Digits, class Item, class Order>
  void count(Item const* items, index_t n, leaf_plan const& plan, Order order) {
    int const bits = bits_, base = plan.base;
    std::uint32_t const mask = (std::uint32_t{1} << bits) - 1;
    for (index_t i = 0; i < n; ++i) {
      auto word = order(detail::key_of(items[i])) >> base;
      for (int d = 0; d < Digits; ++d) {
        ++counts_[(static_cast<std::uint32_t>(d) << bits) +
                  (static_cast<std::uint32_t>(word) & mask)];
        word >>= bits;
      }
    }
  }

  int bits_;
  std::uint32_t counts_[leaf_digits << wide_leaf_digit];
};

/// One pass: items go to `to` in the order of a digit, whose counts become places.
template <class Item, class Order>
void leaf_pass(Item const* items, Item* to, index_t n, Order order, digit by,
               std::uint32_t* counts) {
  std::uint32_t sum = 0;
  for (int bucket = 0; bucket < by.buckets(); ++bucket) {
    sum += std::exchange(counts[bucket], sum);
  }
  for (index_t i = 0; i < n; ++i) to[counts[by.of(order(detail::key_of(items[i])))]++] = items[i];
}

/// All passes of a plan. Returns whether the result is in `partner`, not in `items`. Not inlined,
/// so that the counts are off the stack while ties are sorted.
template <class Item, class Order>
[[gnu::noinline]] bool sort_by_digits(Item* items, Item* partner, index_t n, leaf_plan const& plan,
                                      Order order) {
  leaf_counts counts(items, n, plan, order);
  bool swapped = false;
  for (int d = 0; d < plan.digits; ++d) {
    digit const by = plan.at(d);
    std::uint32_t* const of_digit = counts.of(d);
    if (of_digit[by.of(order(detail::key_of(items[0])))] == static_cast<std::uint64_t>(n)) continue;
    detail::leaf_pass(items, partner, n, order, by, of_digit);
    std::swap(items, partner);
    swapped = !swapped;
  }
  return swapped;
}

template <class Item, class Order>
Item* leaf_sort(Item* items, Item* partner, index_t n, Order order, bool wide);

/// Sorts each run of items that agree in all bits from `shift` on.
template <class Item, class Order>
void sort_ties(Item* items, Item* partner, index_t n, int shift, Order order, bool wide) {
  constexpr index_t block = 32;
  auto const ties = [&](index_t i) {
    return order(detail::key_of(items[i])) >> shift == order(detail::key_of(items[i - 1])) >> shift;
  };
  for (index_t i = 1; i < n;) {
    index_t const end = std::min(n, i + block);
    int any = 0;
    for (index_t k = i; k < end; ++k) any |= ties(k) ? 1 : 0;
    if (any == 0) i = end;
    while (i < end) {
      index_t const begin = i - 1;
      while (i < n && ties(i)) ++i;
      index_t const run = i - begin;
      if (run > 1) {
        Item* const sorted = detail::leaf_sort(items + begin, partner + begin, run, order, wide);
        if (sorted != items + begin) std::copy_n(sorted, run, items + begin);
      }
      ++i;
    }
  }
}

/// Whether no word is smaller than the one before; returns early if many are.
template <class Word>
bool ascends(Word const* words, index_t n) {
  constexpr index_t block = 256;
  for (index_t i = 1; i < n; i += block) {
    Word descents = 0;
    for (index_t k = i; k < std::min(n, i + block); ++k) {
      descents |= words[k] < words[k - 1] ? 1 : 0;
    }
    if (descents != 0) return false;
  }
  return true;
}

/// Items that vector code may sort.
template <class Item>
inline constexpr bool has_vector_sort =
    std::is_same_v<Item, std::uint32_t> || std::is_same_v<Item, std::uint64_t>;

/// Whether vector code sorts n items: words that are compared by all bits. It needs no partner.
template <class Item, class Order>
bool sorted_by_vectors(index_t n, Order order) {
  if constexpr (has_vector_sort<Item>) {
    bool const all_bits = order(static_cast<Item>(~Item{0})) == static_cast<Item>(~Item{0});
    return n > few_items<Item> && all_bits && vector_sort_pays();
  }
  return false;
}

/// Sorts `items` stably by `order`, a functor from keys to words. `partner` has space for as many
/// (null if they are `sorted_by_vectors`). Uses wide digits or narrow ones. Returns which of the
/// two holds the result; the other is then undefined. n < 2^32.
template <class Item, class Order>
Item* leaf_sort(Item* items, Item* partner, index_t n, Order order, bool wide) {
  if (n <= few_items<decltype(order(key_of(items[0])))>) {
    detail::sort_few_items(items, partner, n, order);
    return partner;
  }
  if (detail::sorted_by_vectors<Item>(n, order)) {
    if constexpr (has_vector_sort<Item>) {
      if (!detail::ascends(items, n)) detail::vector_sort(items, n);
    }
    return items;
  }
  auto const summary = detail::summarize(items, 0, n, 1, order);
  if (summary.sorted) return items;

  leaf_plan const plan(summary.differing, n, wide);
  if (detail::sort_by_digits(items, partner, n, plan, order)) std::swap(items, partner);
  if (plan.base > std::countr_zero(summary.differing)) {
    detail::sort_ties(items, partner, n, plan.base, order, wide);
  }
  return items;
}

}  // namespace libscan::inline v1::cpu::detail
