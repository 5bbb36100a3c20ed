// SPDX-License-Identifier: Apache-2.0
// The host APIs of the split by key and of the segmented sort on the cuda engine: all types of
// keys, values of any size, few items and many, and what is refused before the device sees it.
#include <vector>

#include <tests/apps/radix_sort/group_cases.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;

TEMPLATE_TEST_CASE("the cuda engine groups keys of every type by bucket", "", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, long long) {
  engine const on = engine::cuda();
  for (int const buckets : {1, 2, 8, 100, 256}) {
    if (sizeof(TestType) == 1 && std::is_signed_v<TestType> && buckets > 128) continue;
    for (index_t const n : {0, 1, 33, 5000, 300001}) {
      auto const keys = bucket_keys<TestType>(n, buckets);
      INFO(n << " keys in " << buckets << " buckets");
      REQUIRE(split_error<four_letters>(on, keys, buckets, buckets % 17) == "");
      REQUIRE(split_error<double>(on, keys, buckets, buckets % 17) == "");
      REQUIRE(split_error<name>(on, keys, buckets, buckets % 17) == "");
    }
  }
}

TEST_CASE("the cuda engine groups many keys") {
  auto const keys = bucket_keys<std::int32_t>(5000003, 64);
  REQUIRE(split_error<std::uint32_t>(engine::cuda(), keys, 64, 0) == "");
  REQUIRE(split_error<long_value>(engine::cuda(), keys, 64, 0) == "");
}

TEST_CASE("a key in no bucket is found before the cuda engine writes anything") {
  std::vector<std::int64_t> keys(100000, 1), out(keys.size(), -1);
  std::vector<index_t> offsets(3, -1);
  for (std::int64_t const key : {index_t{2}, index_t{-1}, index_t{1} << 32}) {
    keys[77777] = key;
    CHECK_THROWS_WITH(
        split_by_key(engine::cuda(), keys, out, offsets),
        "split by key: key 77777 is in bucket " + std::to_string(key) + "; expected 0 to 1");
  }
  CHECK(offsets == std::vector<index_t>(3, -1));
  CHECK(out == std::vector<std::int64_t>(keys.size(), -1));
}

TEMPLATE_TEST_CASE("the cuda engine sorts segments of keys of every type", "", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, float, double, float16, bfloat16, long long) {
  engine const on = engine::cuda();
  for (index_t const n : {0, 1, 33, 5000, 300001}) {
    for (pattern const p : {pattern::random, pattern::small, pattern::special}) {
      auto const keys = make_keys<TestType>(p, n);
      auto const offsets = mixed_offsets(n);
      INFO(n << " keys in " << offsets.size() - 1 << " segments");
      for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
        REQUIRE(segments_error<four_letters>(on, keys, offsets, direction) == "");
        REQUIRE(segments_error<double>(on, keys, offsets, direction) == "");
      }
      REQUIRE(segments_error<name>(on, keys, offsets, sort_direction::ascending) == "");
    }
  }
}

TEMPLATE_TEST_CASE("the cuda engine orders all floats in segments as the cpu engine does", "",
                   float, double) {
  auto const keys = odd_floats<TestType>(20000);
  REQUIRE(segments_error<std::uint32_t>(engine::cuda(), keys, mixed_offsets(20000),
                                        sort_direction::ascending) == "");
  REQUIRE(segments_error<std::uint32_t>(engine::cuda(), keys, {0, 20000},
                                        sort_direction::descending) == "");
}

TEST_CASE("the cuda engine sorts segments by some bits, and refuses wrong offsets") {
  auto const keys = make_keys<std::int32_t>(pattern::random, 3000);
  auto const offsets = mixed_offsets(3000);
  sort_options const options{sort_direction::descending, 5, 32};
  std::vector<index_t> on_cpu(keys.size()), on_cuda(keys.size());
  segmented_argsort(engine::cpu(), keys, on_cpu, offsets, options);
  segmented_argsort(engine::cuda(), keys, on_cuda, offsets, options);
  CHECK(difference(on_cpu, on_cuda) == "");
  auto out = keys;
  std::vector<index_t> const wrong{0, 2000, 1000, 3000};
  CHECK_THROWS_AS(segmented_sort_keys(engine::cuda(), keys, out, wrong), invalid_argument);
  CHECK(difference(keys, out) == "");
}
