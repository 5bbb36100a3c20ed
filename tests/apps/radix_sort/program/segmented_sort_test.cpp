// SPDX-License-Identifier: Apache-2.0
// Sorts within segments of numbers on CPU threads, whose words and values are carried, and what
// takes sorted items to pieces.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <apps/radix_sort/segmented_sort_cpu.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;
using cpu::detail::sort_tuning;

namespace {

/// Offsets of segments of lengths below `limit`, and one of `last` items behind them.
std::vector<index_t> offsets_of(index_t segments, std::uint64_t limit, index_t last) {
  random_words words(static_cast<std::uint64_t>(segments) + limit);
  std::vector<index_t> offsets{0};
  for (index_t s = 0; s < segments; ++s) {
    offsets.push_back(offsets.back() + static_cast<index_t>(words.below(limit)));
  }
  offsets.push_back(offsets.back() + last);
  return offsets;
}

template <class Key, class Value>
void require_sorted_segments(int threads, std::vector<index_t> const& offsets,
                             sort_tuning const& tuning) {
  index_t const n = offsets.back();
  auto const segments = static_cast<index_t>(offsets.size()) - 1;
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<Key> keys(static_cast<std::size_t>(n));
  for (Key& key : keys) key = static_cast<Key>(words.below(50) << (8 * sizeof(Key) - 7));
  std::vector<Value> values(keys.size());
  std::iota(values.begin(), values.end(), Value{0});
  auto expected = values;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
                     [&](Value a, Value b) {
                       return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
                     });
  }
  std::vector<Key> expected_keys;
  for (Value const at : expected) expected_keys.push_back(keys[static_cast<std::size_t>(at)]);
  auto in_place = keys;
  guarded_buffer<Key> out(n), out_keys(n, 1);
  guarded_buffer<Value> out_values(n, 3);
  with_threads(threads, [&] {
    cpu::sort_keys_in_segments(threads, keys.data(), out.data(), n, offsets.data(), segments, {},
                               tuning);
    cpu::sort_keys_in_segments(threads, in_place.data(), in_place.data(), n, offsets.data(),
                               segments, {}, tuning);
    cpu::sort_pairs_in_segments(threads, keys.data(), out_keys.data(), values.data(),
                                out_values.data(), n, offsets.data(), segments, {}, tuning);
  });
  REQUIRE(difference(expected_keys, out.copy()) + out.damage() == "");
  REQUIRE(difference(expected_keys, in_place) == "");
  REQUIRE(difference(expected_keys, out_keys.copy()) + out_keys.damage() == "");
  REQUIRE(difference(expected, out_values.copy()) + out_values.damage() == "");
}

}  // namespace

TEMPLATE_TEST_CASE("segments of numbers are sorted with their values", "",
                   (std::pair<std::int32_t, std::uint32_t>),
                   (std::pair<std::uint64_t, std::uint64_t>)) {
  using key = typename TestType::first_type;
  using value = typename TestType::second_type;
  for (int const threads : thread_counts) {
    for (sort_tuning const& tuning : {sort_tuning{}, sort_tuning{1 << 12, 64, 2, 6}}) {
      INFO("threads " << threads << " leaf " << tuning.leaf_bytes);
      require_sorted_segments<key, value>(threads, offsets_of(0, 1, 0), tuning);
      require_sorted_segments<key, value>(threads, offsets_of(3000, 50, 20), tuning);
      require_sorted_segments<key, value>(threads, offsets_of(40, 3000, 0), tuning);
      // So many that their lengths are looked at in several pieces, the last with a long one.
      require_sorted_segments<key, value>(threads, offsets_of(70000, 3, 90000), tuning);
    }
  }
}

TEST_CASE("offsets that descend anywhere are refused, whatever they are") {
  auto offsets = offsets_of(70000, 3, 5);
  index_t const n = offsets.back();
  std::vector<int> keys(static_cast<std::size_t>(n));
  constexpr auto least = std::numeric_limits<index_t>::min();
  constexpr auto most = std::numeric_limits<index_t>::max();
  for (std::size_t const at : {std::size_t{1}, offsets.size() / 2, offsets.size() - 2}) {
    for (index_t const wrong : {index_t{-1}, least, most}) {
      index_t const right = offsets[at];
      offsets[at] = wrong;
      CHECK_THROWS_AS(cpu::sort_keys_in_segments(2, keys.data(), keys.data(), n, offsets.data(),
                                                 static_cast<index_t>(offsets.size()) - 1),
                      invalid_argument);
      offsets[at] = right;
    }
  }
  index_t const far_apart[] = {0, least, most, 3};
  CHECK_THROWS_AS(cpu::sort_keys_in_segments(1, keys.data(), keys.data(), 3, far_apart, 3),
                  invalid_argument);
}

TEST_CASE("sinks take items to pieces, past the caches or not, wherever they go") {
  using item = cpu::detail::keyed_value<std::uint32_t, std::uint32_t>;
  for (auto const road : {cpu::store_road::cached, cpu::store_road::streamed}) {
    for (index_t const count : {0, 1, 1023, 1024, 1025, 3000}) {
      for (int const place : {0, 5}) {
        INFO(count << " items to place " << place
                   << (road == cpu::store_road::cached ? "" : ", streamed"));
        std::vector<item> items;
        std::vector<float> keys(static_cast<std::size_t>(count));
        std::vector<std::uint32_t> values(keys.size());
        std::vector<index_t> positions(keys.size());
        cpu::detail::number_words<float> const words(sort_direction::descending);
        for (std::size_t i = 0; i < keys.size(); ++i) {
          keys[i] = static_cast<float>(i) - 700;
          positions[i] = static_cast<index_t>(i * 7919);
          values[i] = static_cast<std::uint32_t>(i * 7919);
          items.push_back({words.from(keys[i]), values[i]});
        }
        guarded_buffer<float> keys_out(count, 3);
        guarded_buffer<std::uint32_t> values_out(count, 1);
        cpu::detail::pair_sink<float, std::uint32_t> const pairs{
            keys_out.data() - place, values_out.data() - place, words, road};
        pairs.put(items.data(), place, count);
        pairs.finish();
        REQUIRE(difference(keys, keys_out.copy()) + keys_out.damage() == "");
        REQUIRE(difference(values, values_out.copy()) + values_out.damage() == "");

        guarded_buffer<index_t> apart(count, 5), within(count, 2);
        cpu::detail::value_sink<std::uint32_t, std::uint32_t, index_t> const to_apart{
            apart.data() - place, road};
        to_apart.put(items.data(), place, count);
        to_apart.finish();
        REQUIRE(difference(positions, apart.copy()) + apart.damage() == "");
        // Where the items lie themselves.
        static_assert(sizeof(item) == sizeof(index_t));
        if (count > 0) std::memcpy(within.data(), items.data(), items.size() * sizeof(item));
        cpu::detail::value_sink<std::uint32_t, std::uint32_t, index_t> const to_within{
            within.data() - place, road};
        to_within.put(reinterpret_cast<item const*>(within.data()), place, count);
        to_within.finish();
        REQUIRE(difference(positions, within.copy()) + within.damage() == "");
      }
    }
  }
}
