// SPDX-License-Identifier: Apache-2.0
// The device sort of keys of every type against std::stable_sort: integers, floats, several fields.
#include <tests/apps/radix_sort/sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("floats are ordered as documented: -0 is 0, NaNs are equal and last") {
  float const infinity = HUGE_VALF;
  float const nan = std::nanf("");
  std::vector<float> const keys{nan,  1.0f,     0.0f,    -0.0f, -infinity, -nan,  -1.0f,
                                0.0f, infinity, -1e-45f, nan,   -0.0f,     1e-45f};
  std::vector<float> const sorted{-infinity, -1.0f, -1e-45f,  0.0f, -0.0f, 0.0f, -0.0f,
                                  1e-45f,    1.0f,  infinity, nan,  -nan,  nan};
  std::vector<float> const falling{nan,   -nan, nan,   infinity, 1.0f,  1e-45f,   0.0f,
                                   -0.0f, 0.0f, -0.0f, -1e-45f,  -1.0f, -infinity};
  workspace ws;
  device_image<float> in(keys), out(13);
  sort_keys<staged>(ws, static_cast<float const*>(in.data()), out.data(), 13);
  REQUIRE(bit_difference(sorted, out.read()) == "");
  sort_keys<tiny_passes>(ws, static_cast<float const*>(in.data()), out.data(), 13,
                         {.direction = sort_direction::descending});
  REQUIRE(bit_difference(falling, out.read()) == "");
}

using key_types =
    types_to_test<std::tuple<std::uint8_t, double>, std::tuple<std::int32_t, bfloat16>,
                  std::tuple<std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::uint64_t,
                             std::int64_t, float, float16>>;
TEMPLATE_LIST_TEST_CASE("keys of every type are sorted", "", key_types) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {0, 1, 33, scaled(1100, 300)}) {
      if constexpr (!few_types || sizeof(TestType) >= 4) {
        require_sorted_both_ways<staged>(make_keys<TestType>(variety::any, n));
      }
      if constexpr (!few_types) {
        require_sorted_both_ways<automatic_sort>(make_keys<TestType>(variety::few, n));
      }
    }
    if constexpr (!few_types || sizeof(TestType) < 4) {
      require_sorted_both_ways<tiny_passes>(make_keys<TestType>(variety::any, 700));
    }
  });
}

using sorts_of_fields =
    types_to_test<std::tuple<tiny_passes>, std::tuple<clustered, resident>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("keys of several fields are sorted by their decomposition", "",
                        sorts_of_fields) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {0, 1, 31, 1000}) {
      using sort = way_of<TestType>;
      if (slow_here<sort> && n < 1000) continue;
      require_sorted_both_ways<sort>(make_keys<dated>(variety::any, n));
      require_sorted_both_ways<sort>(make_keys<dated>(variety::few, n));
    }
  });
}
