// SPDX-License-Identifier: Apache-2.0
// What the tests of the device sort share: names of the kinds of sort, orders written down once
// more, and calls between canaries.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/device/tiny_tuning.hpp>
#include <libscan/radix_sort.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {

/// No tuning: the library chooses.
using automatic_sort = void;

/// Whether the executor takes long for it: its blocks have as many threads as there can be.
template <class Tuning>
inline constexpr bool slow_here = std::is_void_v<Tuning> && !on_gpu;

/// Staged passes whose ranks come as the hardware gives them, or the wrong way round.
using staged = tiny_staged_passes<>;
using disordered = tiny_staged_passes<rank_order::reversed>;
/// The same of sorts in one cluster, and of sorts in one launch of the whole grid.
using clustered = tiny_cluster_sort<>;
using disordered_cluster = tiny_cluster_sort<rank_order::reversed>;
using resident = tiny_resident_sort<>;
using disordered_resident = tiny_resident_sort<rank_order::reversed>;

/// A key of several fields, and its decomposition.
struct dated {
  std::uint32_t year;
  std::uint8_t month;
  std::uint8_t day;
  std::uint16_t note;  // no part of the key
  bool operator==(dated const&) const = default;
};
struct by_date {
  LIBSCAN_HOST_DEVICE std::array<std::uint32_t, 2> operator()(dated const& x) const {
    return {x.year, std::uint32_t{x.month} << 8 | x.day};
  }
};

/// Bits [first, end) of a key.
inline std::uint32_t bits_of(std::uint32_t key, int first, int end) {
  std::uint64_t const wide = key;
  return static_cast<std::uint32_t>((wide & ((std::uint64_t{1} << end) - 1)) >> first);
}

/// The order of keys, independent of the library's.
inline double number_of(float16 x) {
  int const exponent = x.bits >> 10 & 31;
  int const fraction = x.bits & 1023;
  double const sign = (x.bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}
inline double number_of(bfloat16 x) {
  std::uint32_t const bits = std::uint32_t{x.bits} << 16;
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}
template <class T>
T number_of(T x) {
  return x;
}
template <class T>
bool plainly_less(T const& a, T const& b) {
  auto const x = number_of(a);
  auto const y = number_of(b);
  if constexpr (std::is_floating_point_v<decltype(number_of(a))>) {
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x);
  }
  return x < y;
}
inline bool plainly_less(dated const& a, dated const& b) {
  if (a.year != b.year) return a.year < b.year;
  return a.month != b.month ? a.month < b.month : a.day < b.day;
}

/// The order of keys, ascending or not.
struct plain_order {
  bool falls = false;
  template <class Key>
  bool operator()(Key const& a, Key const& b) const {
    return falls ? plainly_less(b, a) : plainly_less(a, b);
  }
};

/// Sorts positions [first, end) stably. Not a template: a sort takes long to compile.
inline void sort_stably(std::vector<index_t>& positions, index_t first, index_t end,
                        std::function<bool(index_t, index_t)> const& before) {
  std::stable_sort(positions.begin() + first, positions.begin() + end,
                   [&](index_t i, index_t j) { return before(i, j); });
}

/// Where each key goes in stable sorts by `before` of each segment between two of `offsets`.
template <class Key, class Offset, class Before>
std::vector<index_t> sorted_positions(std::vector<Key> const& keys,
                                      std::vector<Offset> const& offsets, Before before) {
  std::vector<index_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), index_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    sort_stably(positions, static_cast<index_t>(offsets[s]), static_cast<index_t>(offsets[s + 1]),
                [&](index_t i, index_t j) {
                  return before(keys[static_cast<std::size_t>(i)],
                                keys[static_cast<std::size_t>(j)]);
                });
  }
  return positions;
}

/// The same of all keys.
template <class Key, class Before>
std::vector<index_t> sorted_positions(std::vector<Key> const& keys, Before before) {
  return sorted_positions(keys, std::vector<index_t>{0, static_cast<index_t>(keys.size())}, before);
}

/// items[positions[0]], items[positions[1]], ...
template <class T>
std::vector<T> taken(std::vector<T> const& items, std::vector<index_t> const& positions) {
  std::vector<T> result;
  for (index_t const i : positions) result.push_back(items[static_cast<std::size_t>(i)]);
  return result;
}

/// n keys: any bits, so that all kinds of floats are among them, or few different ones.
enum class variety { any, few, sorted, reversed, equal };
inline std::vector<variety> all_varieties() {
  return sized_list(
      {variety::any, variety::few, variety::sorted, variety::reversed, variety::equal},
      {variety::any, variety::few, variety::equal});
}
template <class Key>
Key key_of_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<Key, dated>) {
    return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint8_t>(bits % 12),
            static_cast<std::uint8_t>(bits >> 8 & 31), static_cast<std::uint16_t>(bits >> 16)};
  } else {
    Key key;
    std::memcpy(&key, &bits, sizeof(key));
    return key;
  }
}
template <class Key>
std::vector<Key> make_keys(variety how, index_t n) {
  random_words words(static_cast<std::uint64_t>(n) * 8 + static_cast<std::uint64_t>(how));
  std::uint64_t const one = words();
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) {
    std::uint64_t bits = words();
    if (how == variety::few) bits &= 0x8001'8001'8001'8001U;
    if (how == variety::equal) bits = one;
    // A quarter of the floats are infinite, NaN or zero.
    if (how == variety::any && words.below(8) == 0) bits |= 0x7ff0'ffff'ffff'ffffU;
    if (how == variety::any && words.below(8) == 0) bits &= 0x8000'0000'8000'8000U;
    keys.push_back(key_of_bits<Key>(bits));
  }
  if (how != variety::sorted && how != variety::reversed) return keys;
  return taken(keys, sorted_positions(keys, plain_order{how == variety::reversed}));
}

/// Has keys sorted between canaries into another buffer; not compiled once for each kind of sort.
template <class Key>
void require_order(
    std::vector<Key> const& keys, std::vector<Key> const& expected, int offset,
    std::function<void(workspace&, Key const* in, Key* out, index_t n)> const& sort) {
  auto const n = static_cast<index_t>(keys.size());
  INFO("n = " << n << ", offset " << offset);
  workspace ws;
  device_image<Key> in(keys, offset), out(n, (offset * 3) % 16);
  sort(ws, in.data(), out.data(), n);
  REQUIRE(bit_difference(expected, out.read()) == "");
  REQUIRE(bit_difference(keys, in.read()) == "");
  REQUIRE(in.damage() == "");
  REQUIRE(out.damage() == "");
}

/// Sorts keys between canaries into another buffer and requires the stable order by `before`.
template <class Tuning, class Key, class Order, class Before>
void require_sorted(std::vector<Key> const& keys, Order order, Before before, int offset = 0) {
  require_order<Key>(keys, taken(keys, sorted_positions(keys, before)), offset,
                     [order](workspace& ws, Key const* in, Key* out, index_t n) {
                       sort_keys<Tuning>(ws, in, out, n, order);
                     });
}

/// The same in the order of the keys' type, either way up.
template <class Tuning, class Key>
void require_sorted_both_ways(std::vector<Key> const& keys, int offset = 0) {
  using order_type =
      std::conditional_t<std::is_same_v<Key, dated>, sort_order<dated, by_date>,
                         sort_order<std::conditional_t<std::is_same_v<Key, dated>, int, Key>>>;
  order_type order;
  require_sorted<Tuning>(keys, order, plain_order{}, offset);
  order.direction = sort_direction::descending;
  require_sorted<Tuning>(keys, order, plain_order{true}, offset);
}

}  // namespace libscan::test
