// SPDX-License-Identifier: Apache-2.0
// The plain host APIs of the split by key and of the segmented sort: all types, values of any size,
// containers and spans, and what is refused.
#include <span>
#include <tuple>
#include <vector>

#include <tests/apps/radix_sort/group_cases.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

using grouped_types = types_to_test<std::tuple<std::uint8_t, std::int32_t, long long>,
                                    std::tuple<std::int8_t, std::int16_t, std::uint16_t,
                                               std::uint32_t, std::int64_t, std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("the host API groups keys of every type by bucket", "", grouped_types) {
  with_threads(16, [&] {
    for (int const buckets : {1, 2, 8, 100, 256}) {
      if (sizeof(TestType) == 1 && std::is_signed_v<TestType> && buckets > 128) continue;
      for (index_t const n : {0, 1, 33, scaled(40003, 5000)}) {
        auto const keys = bucket_keys<TestType>(n, buckets);
        engine const on = engine::cpu(thread_counts[static_cast<std::size_t>(n + buckets) % 4]);
        INFO(n << " keys in " << buckets << " buckets");
        int const offset = buckets % 17;
        REQUIRE(split_error<four_letters>(on, keys, buckets, offset) == "");
        REQUIRE(split_error<double>(on, keys, buckets, offset) == "");
        REQUIRE(split_error<name>(on, keys, buckets, offset) == "");
        REQUIRE(split_error<long_value>(on, keys, buckets, offset) == "");
      }
    }
  });
}

TEST_CASE("a split says how many buckets there are, and what is in none of them") {
  engine const on = engine::cpu(2);
  std::vector<int> const keys{1, 0, 2, 1};
  std::vector<int> out(4, -1);
  std::vector<index_t> offsets(3, -1);
  CHECK_THROWS_WITH(split_by_key(on, keys, out, offsets),
                    "split by key: key 2 is in bucket 2; expected 0 to 1");
  std::vector<std::int8_t> const negative{0, -1};
  std::vector<std::int8_t> grouped(2, 7);
  CHECK_THROWS_WITH(split_by_key(on, negative, grouped, offsets),
                    "split by key: key 1 is in bucket -1; expected 0 to 1");
  std::vector<index_t> one(1), many(258);
  CHECK_THROWS_WITH(split_by_key(on, keys, out, one),
                    "split_by_key: 1 offsets; expected 2 to 257, one more than there are buckets");
  CHECK_THROWS_AS(split_by_key(on, keys, out, many), invalid_argument);
  CHECK(out == std::vector<int>(4, -1));
  CHECK(grouped == std::vector<std::int8_t>(2, 7));
  CHECK(offsets == std::vector<index_t>(3, -1));
}

TEST_CASE("outputs of a split lie apart from everything, and are long enough") {
  engine const on = engine::cpu(1);
  std::vector<index_t> numbers(100), offsets(3);
  std::span<index_t> const all(numbers);
  auto const keys = all.first(30), out = all.subspan(30, 30), room = all.subspan(60, 30);
  std::vector<index_t> const values(30);
  split_by_key(on, keys, out, values, room, offsets);
  CHECK_THROWS_WITH(split_by_key(on, keys, out.first(29), offsets),
                    "split_by_key: 30 keys, but out holds only 29");
  CHECK_THROWS_AS(split_by_key(on, keys, out, all.first(29), room, offsets), invalid_argument);
  CHECK_THROWS_AS(split_by_key(on, keys, out, values, room.first(29), offsets), invalid_argument);
  CHECK_THROWS_WITH(split_by_key(on, keys, keys, offsets),
                    "split_by_key: out overlaps keys; expected memory separate from it");
  CHECK_THROWS_AS(split_by_key(on, keys, out, room, room, offsets), invalid_argument);
  CHECK_THROWS_AS(split_by_key(on, keys, out, values, out, offsets), invalid_argument);
  CHECK_THROWS_AS(split_by_key(on, keys, out, values, keys, offsets), invalid_argument);
  CHECK_THROWS_AS(split_by_key(on, keys, out, out, room, offsets), invalid_argument);
  std::vector<index_t> more(120);
  auto const part = [&](std::size_t from) { return std::span(more).subspan(from, 30); };
  auto const split_into = [&](std::size_t offsets_at) {
    split_by_key(on, part(0), part(30), part(60), part(90), std::span(more).subspan(offsets_at, 3));
  };
  std::string const apart = "; expected memory separate from it";
  for (std::size_t const at : {0, 27}) {  // the beginning of each part, and only its end
    CHECK_THROWS_WITH(split_into(at), "split_by_key: offsets overlap keys" + apart);
    CHECK_THROWS_WITH(split_into(at + 30), "split_by_key: offsets overlap out" + apart);
    CHECK_THROWS_WITH(split_into(at + 60), "split_by_key: offsets overlap values" + apart);
    CHECK_THROWS_WITH(split_into(at + 90), "split_by_key: offsets overlap values_out" + apart);
  }
}

TEMPLATE_LIST_TEST_CASE("the host API sorts segments of keys of every type", "", number_keys) {
  with_threads(16, [&] {
    for (index_t const n : {0, 1, 33, scaled(30003, 5000)}) {
      for (pattern const p : {pattern::random, pattern::small, pattern::special}) {
        auto const keys = make_keys<TestType>(p, n);
        auto const offsets = mixed_offsets(n);
        engine const on = engine::cpu(thread_counts[static_cast<std::size_t>(n) % 4]);
        auto const direction =
            p == pattern::small ? sort_direction::descending : sort_direction::ascending;
        INFO(n << " keys in " << offsets.size() - 1 << " segments");
        REQUIRE(segments_error<four_letters>(on, keys, offsets, direction) == "");
        REQUIRE(segments_error<double>(on, keys, offsets, direction) == "");
        if (p != pattern::random) continue;
        REQUIRE(segments_error<name>(on, keys, offsets, direction) == "");
        REQUIRE(segments_error<long_value>(on, keys, offsets, direction) == "");
      }
    }
  });
}

TEMPLATE_TEST_CASE("zeros and NaNs of all kinds stand in segments as documented", "", float,
                   double) {
  auto const keys = odd_floats<TestType>(20000);
  for (auto const& offsets : {mixed_offsets(20000), std::vector<index_t>{0, 20000}}) {
    for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
      REQUIRE(segments_error<std::uint32_t>(engine::cpu(2), keys, offsets, direction) == "");
    }
  }
}

TEST_CASE("segments are sorted by some bits") {
  auto const keys = make_keys<std::uint32_t>(pattern::random, 3000);
  auto const offsets = mixed_offsets(3000);
  std::vector<std::uint32_t> few;
  for (auto const key : keys) few.push_back(key >> 5 & 63);
  auto const expected = segment_positions(few, offsets, false);
  std::vector<index_t> positions(keys.size());
  sort_options const options{sort_direction::ascending, 5, 11};
  segmented_argsort(engine::cpu(2), keys, positions, offsets, options);
  CHECK(difference(expected, positions) == "");
  auto sorted = keys;
  segmented_sort_keys(engine::cpu(2), sorted, sorted, offsets, options);
  CHECK(difference(items_at(keys, expected), sorted) == "");
  CHECK_THROWS_AS(segmented_sort_keys(engine::cpu(2), sorted, sorted, offsets,
                                      {sort_direction::ascending, 0, 33}),
                  invalid_argument);
}

TEST_CASE("keys before the first segment and after the last stay as they are") {
  engine const on = engine::cpu(2);
  std::vector<int> const keys{9, 3, 5, 4, 1, 7};
  std::vector<int> out(6, -1), values{0, 1, 2, 3, 4, 5}, in_place = keys;
  std::vector<short> places{0, 1, 2, 3, 4, 5};
  std::vector<index_t> const offsets{1, 4, 5}, none{3};
  segmented_sort_keys(on, keys, out, offsets);
  CHECK(out == std::vector<int>{-1, 3, 4, 5, 1, -1});
  segmented_sort_pairs(on, in_place, in_place, places, places, offsets);
  CHECK(in_place == std::vector<int>{9, 3, 4, 5, 1, 7});
  CHECK(places == std::vector<short>{0, 1, 3, 2, 4, 5});
  std::vector<index_t> positions(6, -1);
  segmented_argsort(on, keys, positions, offsets);
  CHECK(positions == std::vector<index_t>{-1, 1, 3, 2, 4, -1});
  std::vector<float> const odd{2, -0.0F, 0, -1, 5};
  std::vector<float> sorted(5, -1);
  segmented_sort_keys(on, odd, sorted, std::vector<index_t>{1, 4});
  CHECK(sorted == std::vector<float>{-1, -1, -0.0F, 0, -1});
  segmented_sort_keys(on, keys, out, none);
  segmented_sort_keys(on, keys, out, std::vector<index_t>{0, 0, 0});
  CHECK(out == std::vector<int>{-1, 3, 4, 5, 1, -1});
}

TEST_CASE("offsets must be within the keys, and ascend") {
  engine const on = engine::cpu(2);
  std::vector<int> keys(10, 3), out(10, -1);
  using offsets = std::vector<index_t>;
  for (offsets const& wrong :
       {offsets{}, offsets{-1}, offsets{0, 11}, offsets{3, 11}, offsets{0, 6, 5, 10},
        offsets{0, -1, 10}, offsets{-1, 10}, offsets{0, 20, 10}}) {
    CHECK_THROWS_AS(segmented_sort_keys(on, keys, out, wrong), invalid_argument);
    CHECK_THROWS_AS(segmented_sort_pairs(on, keys, out, keys, keys, wrong), invalid_argument);
    std::vector<index_t> positions(10, -1);
    CHECK_THROWS_AS(segmented_argsort(on, keys, positions, wrong), invalid_argument);
    CHECK(positions == std::vector<index_t>(10, -1));
  }
  CHECK(out == std::vector<int>(10, -1));
  CHECK_THROWS_WITH(
      segmented_sort_keys(on, keys, out, offsets{-3, 10}),
      "segmented_sort_keys: offsets begin with -3; expected 0 to 10, and one more for "
      "each segment");
  std::vector<int> none;
  segmented_sort_keys(on, none, none, offsets{0});
  segmented_sort_keys(on, none, none, offsets{0, 0, 0});
  CHECK_THROWS_AS(segmented_sort_keys(on, none, none, offsets{1}), invalid_argument);
}

TEST_CASE("outputs of a segmented sort are long enough, and overlap nothing but their inputs") {
  engine const on = engine::cpu(1);
  std::vector<index_t> numbers(100);
  std::span<index_t> const all(numbers);
  auto const keys = all.first(30), out = all.subspan(30, 30), room = all.subspan(60, 30);
  std::vector<index_t> const segments{0, 10, 30};
  std::vector<int> const values(30);
  std::vector<int> moved(29);
  CHECK_THROWS_WITH(segmented_sort_keys(on, keys, out.first(29), segments),
                    "segmented_sort_keys: 30 keys, but out holds only 29");
  CHECK_THROWS_AS(segmented_sort_pairs(on, keys, out, values, moved, segments), invalid_argument);
  CHECK_THROWS_AS(segmented_argsort(on, keys, out.first(29), segments), invalid_argument);
  CHECK_THROWS_WITH(segmented_sort_keys(on, keys, all.subspan(1), segments),
                    "segmented_sort_keys: out overlaps keys; expected memory separate from it, or "
                    "exactly the same");
  CHECK_THROWS_AS(segmented_argsort(on, keys, keys, segments), invalid_argument);
  CHECK_THROWS_AS(segmented_sort_pairs(on, keys, out, room, out, segments), invalid_argument);
  std::copy(segments.begin(), segments.end(), all.begin() + 40);
  auto const inside = all.subspan(40, 3);
  CHECK_THROWS_WITH(segmented_sort_keys(on, keys, out, inside),
                    "segmented_sort_keys: out overlaps offsets; expected memory separate from it");
  CHECK_THROWS_AS(segmented_sort_pairs(on, keys, room, room, out, inside), invalid_argument);
  CHECK_THROWS_AS(segmented_argsort(on, keys, out, inside), invalid_argument);
}
