// SPDX-License-Identifier: Apache-2.0
// What the tests of device filters share: pipelines of a few small tiles, types, choices of every
// selectivity, and outputs between canaries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/filter.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {

/// A pipeline that packs as many rows as the library's, but in tiles of 8 to 16 KiB.
template <class T>
struct short_pipeline : pipelined_filter_tuning<T> {
  static constexpr int groups = 2;
  static constexpr int group_threads = 64;
  static constexpr int rows = 2 * pipelined_filter_tuning<T>::rows_at_once;
  static constexpr int stages = 4;
  static constexpr int max_tiles_in_flight = 3;
};

/// Rows that fill neither a word nor 16 bytes of a lane.
struct odd_pipeline {
  static constexpr scan_algorithm algorithm = scan_algorithm::pipeline;
  static constexpr bool static_schedule = true;
  static constexpr int groups = 3;
  static constexpr int group_threads = 32;
  static constexpr int vector_items = 1;
  static constexpr int rows_at_once = 3;
  static constexpr int rows = 6;
  static constexpr int stages = 3;
  static constexpr int max_tiles_in_flight = 2;
};

/// An item of a size that no access has.
struct triple {
  std::uint32_t a, b, c;
  bool operator==(triple const&) const = default;
};

/// An item of 16 bytes.
struct pair_of_words {
  std::uint64_t first, second;
  bool operator==(pair_of_words const&) const = default;
};

/// An item made of a number: different numbers that T can hold make different items.
template <class T>
T item_of(std::uint64_t number) {
  return static_cast<T>(number);
}
template <>
inline triple item_of<triple>(std::uint64_t number) {
  auto const low = static_cast<std::uint32_t>(number);
  return {low, low ^ 0x5555u, ~low};
}
template <>
inline pair_of_words item_of<pair_of_words>(std::uint64_t number) {
  return {number, ~number};
}

/// n items, most of them different.
template <class T>
std::vector<T> numbered_items(index_t n) {
  std::vector<T> items;
  for (index_t i = 0; i < n; ++i) items.push_back(item_of<T>(static_cast<std::uint64_t>(i)));
  return items;
}

/// Which of n items are chosen: about so many of 1000; -1: exactly one.
inline std::vector<std::uint8_t> choices(index_t n, int per_mille) {
  random_words words(static_cast<std::uint64_t>(n) * 2048 + static_cast<std::uint64_t>(per_mille));
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(n), std::uint8_t{0});
  if (per_mille < 0) {
    if (n > 0) chosen[static_cast<std::size_t>(n * 2 / 3)] = 1;
    return chosen;
  }
  for (auto& choice : chosen) choice = static_cast<int>(words.below(1000)) < per_mille ? 1 : 0;
  return chosen;
}

/// Flags of any nonzero value.
inline std::vector<std::uint8_t> as_flags(std::vector<std::uint8_t> chosen) {
  std::uint8_t value = 1;
  for (auto& flag : chosen) {
    if (flag != 0) flag = value;
    value = static_cast<std::uint8_t>(value == 255 ? 1 : value * 2 + 1);
  }
  return chosen;
}

/// The choices as bits; those after the last item are set.
inline std::vector<std::uint32_t> as_bits(std::vector<std::uint8_t> const& chosen) {
  std::vector<std::uint32_t> words(ceil_div(chosen.size(), std::size_t{32}), ~0u);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] == 0) words[i / 32] &= ~(1u << i % 32);
  }
  return words;
}

/// What a choice divides items into.
template <class T>
struct division {
  std::vector<T> kept;
  std::vector<T> rejected;
  std::vector<index_t> positions;

  division(std::vector<T> const& items, std::vector<std::uint8_t> const& chosen) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      (chosen[i] != 0 ? kept : rejected).push_back(items[i]);
      if (chosen[i] != 0) positions.push_back(static_cast<index_t>(i));
    }
  }
  index_t count() const { return static_cast<index_t>(kept.size()); }
};

/// A workspace in whose memory something has been left.
class dirty_workspace {
 public:
  explicit dirty_workspace(index_t bytes) : memory_(bytes), ws_(memory_.data(), size(bytes)) {
    simt::fill_async(memory_.data(), 0xff, size(bytes));
  }
  operator workspace&() { return ws_; }  // NOLINT(google-explicit-constructor)

 private:
  static std::size_t size(index_t bytes) { return static_cast<std::size_t>(bytes); }

  device::buffer<std::byte> memory_;
  workspace ws_;
};

}  // namespace libscan::test
