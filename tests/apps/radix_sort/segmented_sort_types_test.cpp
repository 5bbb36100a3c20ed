// SPDX-License-Identifier: Apache-2.0
// The segmented sort of keys and values of many types against std::stable_sort of each segment:
// values of any size, keys of several fields, the library's own tunings.
#include <tests/apps/radix_sort/segmented_sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("values of any size go with keys of one field or several, by offsets of any type") {
  sort_order<std::uint32_t> const numbers;
  sort_order<dated, by_date> const dates;
  require_sorted_pairs<dated, 3, std::uint64_t>(dates);
  if constexpr (!quick_types) {
    require_sorted_pairs<std::uint32_t, 1, std::uint32_t>(numbers);
    require_sorted_pairs<std::uint32_t, 128, index_t>(numbers);
  }
  if constexpr (!few_types) {
    require_sorted_pairs<std::uint32_t, 3, std::uint64_t>(numbers);
    require_sorted_pairs<dated, 1, std::uint64_t>(dates);
    require_sorted_pairs<dated, 3, std::uint32_t>(dates);
    require_sorted_pairs<dated, 128, index_t>(dates);
  }
}

using merged_types = types_to_test<std::tuple<std::uint32_t>, std::tuple<std::uint64_t>,
                                   std::tuple<std::uint8_t, float>>;
TEMPLATE_LIST_TEST_CASE(
    "a warp sorts up to 32 times as many keys as a lane, and a block merges more", "",
    merged_types) {
  std::vector<int> lengths;
  for (int length = 2048; length >= 32; length /= 2) {
    for (int const more : {-1, 0, 1}) lengths.push_back(length + more);
  }
  for (int s = 0; s < 40; ++s) lengths.push_back(s);  // beside longer ones
  for (variety const how : {variety::any, variety::few, variety::reversed}) {
    require_sorted_segments<void, TestType>(lengths, how);
  }
}

using falling_types =
    types_to_test<std::tuple<float>, std::tuple<std::uint32_t>, std::tuple<std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("keys without values are sorted downwards, too", "", falling_types) {
  for (int const length : {20, 50, 100}) {
    std::vector<int> const lengths(40, length);
    for (variety const how : {variety::any, variety::few, variety::sorted}) {
      require_sorted_keys(lengths, make_keys<TestType>(how, 40 * length),
                          sort_order<TestType>{.direction = sort_direction::descending},
                          [](auto const& a, auto const& b) { return plainly_less(b, a); });
    }
  }
}

TEST_CASE("keys of several fields are sorted by some of their bits") {
  auto const number = [](dated const& x) {
    return std::uint64_t{x.year} << 32 | std::uint64_t{x.month} << 8 | x.day;
  };
  for (int const longest : {9, 17, 120}) {
    auto const lengths = mixed_lengths(70, longest, 7, longest);
    auto const keys = make_keys<dated>(variety::any, offsets_of(lengths).back());
    for (auto const& bits : {std::pair{3, 36}, {0, 33}, {9, 64}, {0, 12}}) {
      sort_order<dated, by_date> const order{.first_bit = bits.first, .end_bit = bits.second};
      auto const counting = [&](dated const& x) {
        return number(x) << (64 - bits.second) >> (64 - bits.second) >> bits.first;
      };
      require_sorted_keys(lengths, keys, order, [&](dated const& a, dated const& b) {
        return counting(a) < counting(b);
      });
    }
  }
}

TEST_CASE("segments are sorted the way the library chooses") {
  require_sorted_segments<void, std::uint32_t>(mixed_lengths(500, 40, 100, scaled(9000, 3000)),
                                               variety::any);
  if constexpr (!quick_types) {
    using other_key = std::conditional_t<few_types, std::uint64_t, double>;
    require_sorted_segments<void, other_key>(mixed_lengths(20, 2000, 10, 5000), variety::few);
  }
}

TEST_CASE("keys of several fields are sorted within segments, either way up") {
  auto const lengths = mixed_lengths(40, 60, 8, 300);
  auto const offsets = offsets_of(lengths);
  auto const keys = make_keys<dated>(variety::few, offsets.back());
  auto const expected = taken(keys, sorted_positions(keys, offsets, plain_order{true}));
  auto const bytes = segmented_sort_workspace_bytes<dated>(offsets.back());
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  workspace ws(memory.data(), bytes);
  device_image<dated> in(keys), out(offsets.back());
  device_image<std::int32_t> bounds(offsets);
  segmented_sort_keys(ws, static_cast<dated const*>(in.data()), out.data(), offsets.back(),
                      static_cast<std::int32_t const*>(bounds.data()), 40,
                      sort_order<dated, by_date>{.direction = sort_direction::descending});
  REQUIRE(bit_difference(expected, out.read()) == "");
}
