// SPDX-License-Identifier: Apache-2.0
// Sorts within segments of numbers on CPU threads, whose words and values are carried, and what
// takes sorted items to pieces.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/ranges.hpp>

using namespace libscan;
using namespace libscan::test;
using cpu::detail::sort_tuning;

namespace {

/// Offsets of segments of lengths below `limit`, and one of `last` items after them.
std::vector<index_t> offsets_of(index_t segments, std::uint64_t limit, index_t last) {
  random_words words(static_cast<std::uint64_t>(segments) + limit);
  std::vector<index_t> offsets{0};
  for (index_t s = 0; s < segments; ++s) {
    offsets.push_back(offsets.back() + static_cast<index_t>(words.below(limit)));
  }
  offsets.push_back(offsets.back() + last);
  return offsets;
}

template <class Key, class Value, class Offset = index_t>
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
  std::vector<Offset> const given(offsets.begin(), offsets.end());
  guarded_buffer<Key> out(n), out_keys(n, 1);
  guarded_buffer<Value> out_values(n, 3);
  with_threads(threads, [&] {
    cpu::sort_keys_in_segments(threads, keys.data(), out.data(), n, given.data(), segments, {},
                               tuning);
    cpu::sort_keys_in_segments(threads, in_place.data(), in_place.data(), n, given.data(), segments,
                               {}, tuning);
    cpu::sort_pairs_in_segments(threads, keys.data(), out_keys.data(), values.data(),
                                out_values.data(), n, given.data(), segments, {}, tuning);
  });
  REQUIRE(difference(expected_keys, out.copy()) + out.damage() == "");
  REQUIRE(difference(expected_keys, in_place) == "");
  REQUIRE(difference(expected_keys, out_keys.copy()) + out_keys.damage() == "");
  REQUIRE(difference(expected, out_values.copy()) + out_values.damage() == "");
}

}  // namespace

using numbers_with_values = types_to_test<std::tuple<std::pair<std::int32_t, std::uint32_t>>,
                                          std::tuple<std::pair<std::uint64_t, std::uint64_t>>>;
TEMPLATE_LIST_TEST_CASE("segments of numbers are sorted with their values", "",
                        numbers_with_values) {
  using key = typename TestType::first_type;
  using value = typename TestType::second_type;
  for (int const threads : thread_counts) {
    for (sort_tuning const& tuning : {sort_tuning{}, sort_tuning{1 << 12, 64, 2, 6}}) {
      INFO("threads " << threads << " leaf " << tuning.leaf_bytes);
      require_sorted_segments<key, value>(threads, offsets_of(0, 1, 0), tuning);
      require_sorted_segments<key, value>(threads, offsets_of(3000, 50, 20), tuning);
      require_sorted_segments<key, value>(threads, offsets_of(40, 3000, 0), tuning);
      // As long as the small leaf has items of 16, 8 and 4 bytes.
      require_sorted_segments<key, value>(threads, {0, 256, 768, 1792}, tuning);
      // So many that their lengths are looked at in several pieces, the last with a long one.
      require_sorted_segments<key, value>(threads, offsets_of(70000, 3, 90000), tuning);
    }
  }
}

namespace {

/// Two numbers, by the second, then the first: one that no single word holds.
struct dated {
  std::int32_t day;
  std::uint64_t year;
  bool operator==(dated const&) const = default;
};
struct by_year {
  std::array<std::uint64_t, 2> operator()(dated const& x) const {
    return {x.year, number_order<std::int32_t>{}(x.day)};
  }
};

/// Segments of `Offset`s of keys in an order of their own, values of any size, and positions of
/// `Index`.
template <class Offset, class Index>
void require_own_order(int threads, std::vector<index_t> const& offsets, sort_direction direction) {
  index_t const n = offsets.back();
  auto const segments = static_cast<index_t>(offsets.size()) - 1;
  random_words words(static_cast<std::uint64_t>(n) + 7);
  std::vector<dated> keys(static_cast<std::size_t>(n));
  for (dated& key : keys) {
    key = {static_cast<std::int32_t>(words.below(9)) - 4, words.below(5) << 40};
  }
  std::vector<Index> expected(keys.size());
  std::iota(expected.begin(), expected.end(), Index{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
                     [&](Index i, Index j) {
                       dated const &a = keys[static_cast<std::size_t>(i)],
                                   &b = keys[static_cast<std::size_t>(j)];
                       auto const less = [](dated const& x, dated const& y) {
                         return x.year != y.year ? x.year < y.year : x.day < y.day;
                       };
                       return direction == sort_direction::ascending ? less(a, b) : less(b, a);
                     });
  }
  std::vector<Offset> const given(offsets.begin(), offsets.end());
  sort_order<dated, by_year> const order{.direction = direction};
  std::vector<std::array<char, 3>> names(keys.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i][1] = static_cast<char>(i);
  guarded_buffer<Index> positions(n, 1);
  std::vector<dated> out(keys.size()), out_keys(keys.size());
  auto moved = names;
  with_threads(threads, [&] {
    cpu::argsort_in_segments(threads, keys.data(), positions.data(), n, given.data(), segments,
                             order);
    cpu::sort_keys_in_segments(threads, keys.data(), out.data(), n, given.data(), segments, order);
    cpu::sort_pairs_in_segments(threads, keys.data(), out_keys.data(), moved.data(), moved.data(),
                                n, given.data(), segments, order);
  });
  REQUIRE(difference(expected, positions.copy()) + positions.damage() == "");
  auto const sorted = [&](auto const& items) {
    auto result = items;
    for (std::size_t j = 0; j < result.size(); ++j) result[j] = items[std::size_t(expected[j])];
    return result;
  };
  REQUIRE((out == sorted(keys)));
  REQUIRE((out_keys == sorted(keys)));
  REQUIRE((moved == sorted(names)));
}

}  // namespace

using offsets_and_indices = types_to_test<
    std::tuple<std::pair<std::int32_t, std::uint32_t>, std::pair<std::uint64_t, index_t>>,
    std::tuple<std::pair<std::uint32_t, int>, std::pair<long long, unsigned long long>>>;
TEMPLATE_LIST_TEST_CASE("segments are sorted in orders of your own, by offsets of any integers", "",
                        offsets_and_indices) {
  using offset = typename TestType::first_type;
  using index = typename TestType::second_type;
  for (int const threads : thread_counts) {
    for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
      require_own_order<offset, index>(threads, offsets_of(0, 1, 0), direction);
      require_own_order<offset, index>(threads, offsets_of(300, 50, 20), direction);
      require_own_order<offset, index>(threads, offsets_of(7, 3000, 70000), direction);
    }
  }
}

TEMPLATE_TEST_CASE("offsets of 32 bits and their own type part numbers, too", "", std::int32_t,
                   std::uint32_t, unsigned long long) {
  for (int const threads : thread_counts) {
    require_sorted_segments<std::int32_t, std::uint32_t, TestType>(threads,
                                                                   offsets_of(3000, 50, 20), {});
    require_sorted_segments<std::uint64_t, std::uint64_t, TestType>(threads,
                                                                    offsets_of(40, 3000, 0), {});
  }
}

TEST_CASE("unsigned offsets that no number of items reaches are refused") {
  std::vector<int> keys(3);
  std::uint64_t const beyond[] = {0, ~std::uint64_t{0}, 3};
  std::uint32_t const descends[] = {0, 2, 1, 3};
  CHECK_THROWS_AS(cpu::sort_keys_in_segments(1, keys.data(), keys.data(), 3, beyond, 2),
                  invalid_argument);
  CHECK_THROWS_AS(cpu::sort_keys_in_segments(1, keys.data(), keys.data(), 3, descends, 3),
                  invalid_argument);
}

TEST_CASE("sorts and splits refuse outputs that share memory with what they may not") {
  std::vector<int> keys(20), values(20), apart(20);
  int *const k = keys.data(), *const v = values.data(), *const out = apart.data();
  CHECK_THROWS_AS(cpu::sort_keys(2, k, k + 1, 10), invalid_argument);
  CHECK_NOTHROW(cpu::sort_keys(2, k, k + 10, 10));
  CHECK_NOTHROW(cpu::sort_pairs(2, k, k, v, v, 10));
  CHECK_THROWS_AS(cpu::sort_pairs(2, k, k, v, v + 9, 10), invalid_argument);
  CHECK_THROWS_AS(cpu::sort_pairs(2, k, out, v, k, 10), invalid_argument);
  CHECK_THROWS_AS(cpu::sort_pairs(2, k, v, v, out, 10), invalid_argument);
  CHECK_THROWS_AS(cpu::sort_pairs(2, k, out, v, out + 9, 10), invalid_argument);
  CHECK_THROWS_AS(cpu::argsort(2, k, k + 9, 10), invalid_argument);
  CHECK_NOTHROW(cpu::argsort(2, k, out, 10));
  int offsets[] = {0, 4, 10};
  CHECK_NOTHROW(cpu::sort_keys_in_segments(2, k, k, 10, offsets, 2));
  CHECK_THROWS_AS(cpu::sort_keys_in_segments(2, k, k + 9, 10, offsets, 2), invalid_argument);
  CHECK_THROWS_AS(cpu::sort_keys_in_segments(2, k, offsets + 2, 10, offsets, 2), invalid_argument);
  CHECK_THROWS_AS(cpu::argsort_in_segments(2, k, k, 10, offsets, 2), invalid_argument);
  CHECK_THROWS_AS(cpu::argsort_in_segments(2, k, offsets, 10, offsets, 2), invalid_argument);
  std::vector<index_t> begins(20);
  CHECK_NOTHROW(cpu::split_by_key(2, k, k + 10, begins.data(), 10, 1));
  CHECK_THROWS_AS(cpu::split_by_key(2, k, k, begins.data(), 10, 1), invalid_argument);
  CHECK_THROWS_AS(cpu::split_by_key(2, k, out, v, out, nullptr, 10, 1), invalid_argument);
  auto* const as_offsets = reinterpret_cast<index_t*>(k + 8);
  CHECK_THROWS_AS(cpu::split_by_key(2, k, out, as_offsets, 10, 1), invalid_argument);
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
  for (auto const policy : {cpu::store_policy::cached, cpu::store_policy::non_temporal}) {
    for (index_t const count : {0, 1, 1023, 1024, 1025, 3000}) {
      for (int const place : {0, 5}) {
        INFO(count << " items to place " << place
                   << (policy == cpu::store_policy::cached ? "" : ", streamed"));
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
            keys_out.data() - place, values_out.data() - place, words, policy};
        pairs.put(items.data(), place, count);
        pairs.finish();
        REQUIRE(difference(keys, keys_out.copy()) + keys_out.damage() == "");
        REQUIRE(difference(values, values_out.copy()) + values_out.damage() == "");

        guarded_buffer<index_t> apart(count, 5), within(count, 2);
        cpu::detail::value_sink<std::uint32_t, std::uint32_t, index_t> const to_apart{
            apart.data() - place, policy};
        to_apart.put(items.data(), place, count);
        to_apart.finish();
        REQUIRE(difference(positions, apart.copy()) + apart.damage() == "");
        // Where the items lie themselves.
        static_assert(sizeof(item) == sizeof(index_t));
        if (count > 0) std::memcpy(within.data(), items.data(), items.size() * sizeof(item));
        cpu::detail::value_sink<std::uint32_t, std::uint32_t, index_t> const to_within{
            within.data() - place, policy};
        to_within.put(reinterpret_cast<item const*>(within.data()), place, count);
        to_within.finish();
        REQUIRE(difference(positions, within.copy()) + within.damage() == "");
      }
    }
  }
}

namespace {

/// Sorts ranges of numbers: keys, in place and not, pairs and positions. What is in none stays.
template <class Key, class Value>
void require_sorted_ranges(int threads, some_ranges const& ranges, index_t n) {
  INFO(threads << " threads, " << ranges.count() << " ranges of " << n);
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<Key> keys(static_cast<std::size_t>(n)), before(keys.size(), Key{3});
  for (Key& key : keys) key = static_cast<Key>(words.below(50)) - Key{5};
  std::vector<Value> values(keys.size()), untouched(keys.size(), Value{9});
  std::iota(values.begin(), values.end(), Value{0});
  auto sorted = before, in_place = keys, out = before, pairs = before, sorted_in_place = keys;
  std::vector<std::int64_t> sorted_at(keys.size(), -1), at = sorted_at;
  auto sorted_values = untouched, moved = untouched;
  for (std::size_t s = 0; s < ranges.begins.size(); ++s) {
    std::vector<std::size_t> order;
    for (int i = ranges.begins[s]; i < ranges.ends[s]; ++i) {
      order.push_back(static_cast<std::size_t>(i));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    auto to = static_cast<std::size_t>(ranges.begins[s]);
    for (std::size_t const from : order) {
      sorted[to] = sorted_in_place[to] = keys[from];
      sorted_values[to] = values[from];
      sorted_at[to++] = static_cast<std::int64_t>(from);
    }
  }
  segment_ranges const segments{ranges.begins.data(), ranges.ends.data(), ranges.count()};
  with_threads(threads, [&] {
    cpu::sort_keys_in_segments(threads, keys.data(), out.data(), n, segments);
    cpu::sort_keys_in_segments(threads, in_place.data(), in_place.data(), n, segments);
    cpu::sort_pairs_in_segments(threads, keys.data(), pairs.data(), values.data(), moved.data(), n,
                                segments);
    cpu::argsort_in_segments(threads, keys.data(), at.data(), n, segments);
  });
  REQUIRE(difference(sorted, out) == "");
  REQUIRE(difference(sorted_in_place, in_place) == "");
  REQUIRE(difference(sorted, pairs) == "");
  REQUIRE(difference(sorted_values, moved) == "");
  REQUIRE(difference(sorted_at, at) == "");
}

}  // namespace

TEST_CASE("ranges of numbers are sorted in any order, and what is in none stays") {
  for (int const threads : {1, 3}) {
    for (int const most : {4, 90, 3000}) {
      auto const ranges = some_ranges::apart(9000, most);
      require_sorted_ranges<std::int32_t, std::uint32_t>(threads, ranges, 9000);
      require_sorted_ranges<std::int32_t, std::uint16_t>(threads, ranges.shuffled(), 9000);
      require_sorted_ranges<double, std::uint64_t>(threads, ranges.shuffled(), 9000);
    }
    some_ranges long_ones;
    long_ones.add(150000, 250001);
    long_ones.add(5, 70000);
    require_sorted_ranges<float, std::uint32_t>(threads, long_ones, 260000);
    require_sorted_ranges<float, std::uint32_t>(threads, {}, 10);
  }
}

TEST_CASE("ranges between offsets are sorted as those are, and wrong ones refused") {
  std::vector<int> const keys{9, 3, 2, 1, 7, 5, 4};
  std::vector<int> out(7);
  std::vector<std::int32_t> const offsets{1, 3, 4, 7};
  cpu::sort_keys_in_segments(2, keys.data(), out.data(), 7,
                             segment_ranges<std::int32_t>::between(offsets.data(), 3));
  CHECK(out == std::vector<int>{0, 2, 3, 1, 4, 5, 7});
  for (auto const& [begin, end] : {std::pair{-1, 3}, std::pair{4, 3}, std::pair{4, 8}}) {
    std::array<int, 2> const begins{begin, 0}, ends{end, 0};  // apart from each other
    segment_ranges const wrong{begins.data(), ends.data(), 1};
    CHECK_THROWS_WITH(cpu::sort_keys_in_segments(1, keys.data(), out.data(), 7, wrong),
                      Catch::Contains("expected a range within [0, 7)"));
  }
  segment_ranges const written{out.data(), offsets.data(), 2};
  CHECK_THROWS_AS(cpu::sort_keys_in_segments(1, keys.data(), out.data(), 7, written),
                  invalid_argument);
  CHECK_THROWS_AS(cpu::argsort_in_segments(1, keys.data(), out.data(), 7, written),
                  invalid_argument);
}
