// SPDX-License-Identifier: Apache-2.0
// The host API of the segmented sort on the cuda engine: all types of keys, values of any size, and
// what is refused before the device sees it.
#include <vector>

#include <tests/apps/radix_sort/group_cases.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;

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
