// SPDX-License-Identifier: Apache-2.0
// The stable sort of a few items on a CPU, without branches that depend on keys: each is compared
// with each. More than a handful, if word and place fit in one register, use a sorting network
// (Batcher's merge exchange; Knuth, The Art of Computer Programming 3, 5.2.2M).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <apps/radix_sort/cpu/sort_items.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

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
  std::array<std::pair<int, int>, count_exchanges(Items)> all{};
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
  std::uint64_t w[Items];  // in registers
  for (int i = 0; i < Items; ++i) w[i] = words[i];
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (detail::exchange(w[exchanges<Items>[K].first], w[exchanges<Items>[K].second]), ...);
  }
  (std::make_index_sequence<exchanges<Items>.size()>{});
  for (int i = 0; i < Items; ++i) words[i] = w[i];
}

/// Sorts n > 16 items stably into `to`. A word combined with its place is unique and identifies the
/// item.
template <class Item, class Order>
void sort_by_network(Item const* items, Item* to, index_t n, Order order) {
  constexpr int place_bits = 8;
  constexpr index_t most = 32;
  std::uint64_t words[most];
  for (index_t i = 0; i < n; ++i) {
    words[i] =
        std::uint64_t{order(detail::key_of(items[i]))} << place_bits | static_cast<unsigned>(i);
  }
  for (index_t i = n; i < most; ++i) words[i] = ~std::uint64_t{0};
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

}  // namespace libscan::inline v1::cpu::detail
