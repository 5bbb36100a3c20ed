// SPDX-License-Identifier: Apache-2.0
// The sort within segments that the host knows, against stable sorts of each: by staged passes over
// tiny tiles, and by plain sorts.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/device/listed_segments.cuh>
#include <tests/apps/radix_sort/sort_cases.hpp>
#include <tests/support/device_buffer.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Staged passes over tiles of 256 items, however few items there are.
template <rank_order Ranks>
struct tiny_listed {
  using histogram = tiny_digit_histogram;
  template <tile_witness>
  struct staged : tiny_staged_passes<Ranks>::pass {
    static constexpr index_t min_items = 0;
  };
};
using listed = tiny_listed<rank_order::hardware>;
using disordered_listed = tiny_listed<rank_order::reversed>;

/// Offsets of segments of these lengths, from `first` on.
std::vector<index_t> offsets_of(std::vector<index_t> const& lengths, index_t first) {
  std::vector<index_t> offsets{first};
  for (index_t const length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Keys that agree in bits [shift, 32) within a segment.
std::vector<std::uint32_t> keys_for(std::vector<index_t> const& offsets, int shift, variety how) {
  auto keys = make_keys<std::uint32_t>(how, offsets.back() + 3);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      auto& key = keys[static_cast<std::size_t>(i)];
      key = static_cast<std::uint32_t>(key & ((std::uint64_t{1} << shift) - 1)) |
            static_cast<std::uint32_t>(std::uint64_t{s * 37} << shift);
    }
  }
  return keys;
}

/// Sorts keys, with their positions unless Value is void, and compares what is in the segments.
/// Nothing else may be written.
template <class Tuning, class Value>
void check(std::vector<std::uint32_t> const& keys, std::vector<index_t> const& offsets,
           sort_order<std::uint32_t> order, bool agree_above) {
  INFO(offsets.size() - 1 << " segments, bits " << order.first_bit << " to " << order.end());
  auto const n = static_cast<index_t>(keys.size());
  auto const places = sorted_positions(keys, offsets, [&](std::uint32_t a, std::uint32_t b) {
    if (order.direction == sort_direction::descending) std::swap(a, b);
    return bits_of(a, order.first_bit, order.end()) < bits_of(b, order.first_bit, order.end());
  });
  bool const odd = ceil_div(order.end() - order.first_bit, 8) % 2 != 0;
  device_image<std::uint32_t> from(keys), to(keys, 3);
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  device_image<std::uint32_t> values_from(numbers, 1), values_to(numbers, 2);
  device_buffer<index_t> const d_offsets(offsets);
  workspace ws;
  device::buffer_pair<Value> values;
  if constexpr (!std::is_void_v<Value>) values = {values_from.data(), values_to.data()};
  device::sort_listed_segments<Tuning, sort_order<std::uint32_t>, Value>(
      ws, {from.data(), to.data()}, values, offsets, d_offsets.data(), order, agree_above);
  auto const found = (odd ? to : from).read(), found_values = (odd ? values_to : values_from).read();
  for (index_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    REQUIRE(found[at] == keys[static_cast<std::size_t>(places[at])]);
    if (!std::is_void_v<Value>) REQUIRE(found_values[at] == numbers[static_cast<std::size_t>(places[at])]);
  }
  for (auto const* image : {&from, &to, &values_from, &values_to}) REQUIRE(image->damage() == "");
}

}  // namespace

TEMPLATE_TEST_CASE("segments that the host knows are sorted each by itself", "", listed,
                   disordered_listed, void) {
  sort_order<std::uint32_t> low, all, some;
  low.end_bit = 24;
  some.first_bit = 5;
  some.end_bit = 20;
  some.direction = sort_direction::descending;
  for (auto const& lengths : sized_list<std::vector<index_t>>(
           {{0}, {1}, {700}, {0, 1, 256, 257, 0, 0, 900, 2, 512, 0}, {2600, 40, 1, 1, 1, 3000}},
           {{700}, {0, 1, 256, 257, 0, 0, 900, 2, 512, 0}})) {
    for (index_t const first : {0, 5}) {
      auto const offsets = offsets_of(lengths, first);
      for (variety const how : {variety::any, variety::few, variety::equal}) {
        check<TestType, void>(keys_for(offsets, 24, how), offsets, low, true);
        check<TestType, std::uint32_t>(keys_for(offsets, 24, how), offsets, low, true);
      }
      check<TestType, void>(keys_for(offsets, 32, variety::any), offsets, all, true);
      check<TestType, void>(keys_for(offsets, 32, variety::any), offsets, some, false);
      check<TestType, std::uint32_t>(keys_for(offsets, 32, variety::few), offsets, some, false);
    }
  }
}

TEST_CASE("hundreds of listed segments, and more than are sorted together") {
  for (std::size_t const count : {std::size_t{700}, std::size_t{1024}, std::size_t{1025}}) {
    std::vector<index_t> lengths;
    random_words words(count);
    for (std::size_t s = 0; s < count; ++s) lengths.push_back(static_cast<index_t>(words.below(4)));
    lengths[count / 2] = 600;
    auto const offsets = offsets_of(lengths, 0);
    sort_order<std::uint32_t> order;
    order.end_bit = 8;
    check<listed, void>(keys_for(offsets, 8, variety::any), offsets, order, true);
  }
}

TEST_CASE("no segments, or no bits, leave everything as it is") {
  std::vector<std::uint32_t> const keys{3, 1, 2};
  sort_order<std::uint32_t> none;
  none.end_bit = 0;
  check<listed, void>(keys, {0, 3}, none, true);
  check<listed, void>(keys, {1}, {}, true);
}
