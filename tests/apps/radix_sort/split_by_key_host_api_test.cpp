// SPDX-License-Identifier: Apache-2.0
// The host API of the split by key on the cuda engine: all types of keys, values of any size, few
// items and many, and what is refused before the device sees it.
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
