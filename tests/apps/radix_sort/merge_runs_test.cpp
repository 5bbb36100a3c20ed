// SPDX-License-Identifier: Apache-2.0
// Merges of pairs of sorted runs, and searches in sorted keys, against the standard library: runs
// of any lengths, also empty, with equal keys, whose values show that they keep their order.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <apps/radix_sort/device/merge_runs.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Sorted keys below `bound`.
template <class Key>
std::vector<Key> sorted_keys(index_t n, std::uint64_t bound, std::uint64_t seed) {
  random_words words(seed);
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<Key>(words.below(bound)));
  std::ranges::sort(keys);
  return keys;
}

/// Merges runs of these lengths two by two.
template <class Key, class Value>
void require_merged(std::vector<index_t> const& lengths, std::uint64_t bound) {
  using libscan::detail::merged_pair;
  using libscan::detail::sorted_run;
  using splitting = device::merge_splits_kernel<Key>;
  using merging = device::merge_kernel<Key, Value>;
  device::key_words<Key> const word_of{};
  std::deque<device_image<Key>> keys;
  std::deque<device_image<Value>> values;
  std::vector<Key> expected;
  std::vector<Value> expected_values;
  std::vector<merged_pair<Key>> pairs;
  index_t target = 0, tiles = 0;
  Value next = 0;
  for (std::size_t r = 0; r < lengths.size(); r += 2) {
    std::vector<std::pair<Key, Value>> both;
    sorted_run<Key> runs[2];
    for (std::size_t side = 0; side < 2; ++side) {
      auto const own = sorted_keys<Key>(lengths[r + side], bound, r + side);
      std::vector<Value> numbers(own.size());
      std::iota(numbers.begin(), numbers.end(), next);
      next = static_cast<Value>(next + own.size());
      for (std::size_t i = 0; i < own.size(); ++i) both.emplace_back(own[i], numbers[i]);
      keys.emplace_back(own);
      values.emplace_back(numbers);
      runs[side] = {keys.back().data(), values.back().data(), lengths[r + side]};
    }
    std::ranges::stable_sort(both, {}, &std::pair<Key, Value>::first);
    for (auto const& [key, value] : both) {
      expected.push_back(key);
      expected_values.push_back(value);
    }
    auto const n = static_cast<index_t>(both.size());
    if (n > 0) pairs.push_back({runs[0], runs[1], target, tiles});
    target += n;
    tiles += ceil_div(n, index_t{device::merge_shape<Key>::tile_items});
  }
  if (tiles == 0) return;
  device_image<merged_pair<Key>> d_pairs(pairs);
  device_image<index_t> splits(tiles);
  device_image<Key> out(target);
  device_image<Value> values_out(target);
  auto const count = static_cast<int>(pairs.size());
  merged_pair<Key> const* const all = d_pairs.data();
  auto const groups = static_cast<unsigned>(ceil_div(tiles, index_t{splitting::block_threads}));
  simt::launch<splitting>({.blocks = groups, .threads = splitting::block_threads}, all, count,
                          tiles, splits.data(), word_of);
  simt::launch<merging>({.blocks = static_cast<unsigned>(tiles), .threads = merging::block_threads},
                        out.data(), values_out.data(), all, count,
                        static_cast<index_t const*>(splits.data()), word_of);
  REQUIRE(out.read() == expected);
  REQUIRE(values_out.read() == expected_values);
  REQUIRE(out.damage() + values_out.damage() + splits.damage() == "");
}

}  // namespace

TEST_CASE("pairs of runs are merged, stable") {
  index_t const tile = device::merge_shape<std::uint32_t>::tile_items;
  each_schedule(2, [&](std::string const& schedule) {
    INFO(schedule);
    for (std::uint64_t const bound : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1} << 32}) {
      INFO("keys below " << bound);
      require_merged<std::uint32_t, std::uint32_t>({1, 0, 0, 0, 3, 5}, bound);
      require_merged<std::uint32_t, std::uint64_t>({tile - 1, tile + 2, 7, 0}, bound);
      require_merged<std::uint64_t, std::uint32_t>({0, 2 * tile, 100, 1}, bound);
    }
  });
}

TEST_CASE("words are found among sorted keys") {
  using kernel = device::search_kernel<std::uint32_t>;
  auto const keys = sorted_keys<std::uint32_t>(1000, 300, 1);
  std::vector<std::uint32_t> words{0, 299, 300, ~std::uint32_t{0}};
  for (std::uint32_t w = 1; w < 299; w += 7) words.push_back(w);
  device_image<std::uint32_t> d_keys(keys), d_words(words);
  device_image<index_t> found(2 * std::ssize(words));
  simt::launch<kernel>(
      {.blocks = 1 + static_cast<unsigned>(words.size()) / 64, .threads = kernel::block_threads},
      static_cast<std::uint32_t const*>(d_keys.data()), index_t{1000},
      static_cast<std::uint32_t const*>(d_words.data()), std::ssize(words) + 0L, found.data(),
      device::key_words<std::uint32_t>{});
  std::vector<index_t> expected;
  for (std::uint32_t const word : words) {
    expected.push_back(std::ranges::lower_bound(keys, word) - keys.begin());
    expected.push_back(std::ranges::upper_bound(keys, word) - keys.begin());
  }
  REQUIRE(found.read() == expected);
  REQUIRE(found.damage() == "");
}
