// SPDX-License-Identifier: Apache-2.0
// The segmented sort against std::stable_sort of each segment: many tiny, few huge, and any mix.
#include <tests/apps/radix_sort/segmented_sort_cases.hpp>
#include <tests/support/ranges.hpp>

using namespace libscan;
using namespace libscan::test;

using mixed_types = types_to_test<std::tuple<std::uint32_t>, std::tuple<std::uint8_t, float>,
                                  std::tuple<std::uint64_t, float16>>;
TEMPLATE_LIST_TEST_CASE("segments of any mix of lengths are sorted", "", mixed_types) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (variety const how : {variety::any, variety::few}) {
      require_sorted_segments<tiny_segmented_sort, TestType>({}, how);
      require_sorted_segments<tiny_segmented_sort, TestType>({0, 0, 0}, how);
      require_sorted_segments<tiny_segmented_sort, TestType>({scaled(1500, 700)}, how);
      require_sorted_segments<tiny_segmented_sort, TestType>({127, 128, 129, 0, 63, 64, 65, 256},
                                                             how, 5);
      require_sorted_segments<tiny_segmented_sort, TestType>(mixed_lengths(200, 2, 200, 2), how);
      require_sorted_segments<tiny_segmented_sort, TestType>(mixed_lengths(40, 30, 9, 400), how, 3);
    }
  });
}

TEST_CASE("thousands of empty segments lie between two others") {
  std::vector<int> lengths(5000, 0);
  lengths.front() = 40;
  lengths[2500] = 300;
  lengths.back() = 90;
  require_sorted_segments<tiny_segmented_sort, std::uint32_t>(lengths, variety::any);
}

TEST_CASE("short segments lie among hundreds of empty ones") {
  std::vector<int> lengths(700, 0);
  for (std::size_t s = 30; s <= 600; s += 30) lengths[s] = 4;
  lengths[333] = 40;
  require_sorted_segments<tiny_segmented_sort, std::uint32_t>(lengths, variety::any);
}

TEST_CASE("a long segment takes many tiles") {
  require_sorted_segments<void, std::uint32_t>(
      {5, scaled(100000, quick_types ? 25000 : 50000), 40, 9000}, variety::any);
}

TEST_CASE("a warp scans the counts of few tiles, a block those of many") {
  constexpr auto tile = static_cast<int>(device::tile_items_of<two_warps_sort::tiles>());
  constexpr int few = device::scan_segment_tiles<std::int32_t, 64>::few;
  require_sorted_segments<two_warps_sort, std::uint32_t>(
      {tile * (few + 3), 900, tile * few, tile * few + 1, tile + 1}, variety::any);
}

using one_length_types = types_to_test<std::tuple<std::uint32_t>, std::tuple<double>>;
TEMPLATE_LIST_TEST_CASE("segments of one length are sorted, whoever sorts that length", "",
                        one_length_types) {
  // One lane up to 32, two up to 64, runs that merge up to 128, tiles of 64 from there on.
  for (int const length :
       sized_list({1,  2,  3,  7,  8,  9,   15,  16,  17,  24,  31,  32,  33,
                   48, 63, 64, 65, 96, 113, 127, 128, 129, 191, 192, 193, 640},
                  {1, 3, 8, 16, 17, 31, 32, 33, 64, 65, 113, 128, 129, 193, 640})) {
    int const segments = length <= 64 ? 70 : 5;  // more than two warps
    std::vector<int> lengths(static_cast<std::size_t>(segments), length);
    require_sorted_segments<tiny_segmented_sort, TestType>(lengths, variety::any);
    require_sorted_segments<tiny_segmented_sort, TestType>(lengths, variety::few, 3);
  }
}

TEST_CASE("a block has as many runs of one size as there can be") {
  std::vector<int> lengths(7, 17);  // two lanes each for pairs, and so do four runs of 128 items
  lengths.push_back(128);
  require_sorted_segments<tiny_segmented_sort, std::uint32_t>(lengths, variety::any);
  std::vector<int> pairs(63, 2);  // begin in one stretch; the longer one has them sorted there
  pairs.push_back(128);
  require_sorted_segments<tiny_segmented_sort, std::uint32_t>(pairs, variety::any, 1);
  // Segments of one item are no runs: lists have no space for so many.
  for (int const longer : {28, 128}) {
    std::vector<int> singles(100, 1);
    singles.push_back(longer);
    require_sorted_segments<tiny_segmented_sort, std::uint32_t>(singles, variety::any, 1);
  }
  if constexpr (!quick_types) {
    require_sorted_segments<tiny_segmented_sort, std::uint64_t>({33, 33, 33, 128}, variety::any);
  }
}

TEST_CASE("floats that their words do not tell stand among others") {
  for (int const length : {20, 50, 100}) {
    std::vector<int> const lengths(64, length);
    auto const offsets = offsets_of(lengths);
    std::vector<float> keys;
    for (index_t i = 0; i < offsets.back(); ++i) {
      auto key = static_cast<float>(i * 7919 % 7 - 3);
      if (key == 0.0f && i / length == 3 && i % 2 == 0) key = -0.0f;
      if (i / length == 40 && i % 3 == 0) key = std::copysign(std::nanf(""), i % 2 ? 1.0f : -1.0f);
      keys.push_back(key);
    }
    require_sorted_keys(lengths, keys, sort_order<float>{},
                        [](float a, float b) { return plainly_less(a, b); });
  }
}

TEST_CASE("a longer segment stands among tiny ones, first, last, or in between") {
  for (std::size_t const place : {0, 1, 31, 32, 33, 69, 95, 96}) {
    for (int const longer : {33, 65, 128, 129, 300}) {
      auto lengths = mixed_lengths(97, 6, 97, 2);
      lengths[place] = longer;
      require_sorted_segments<tiny_segmented_sort, std::uint32_t>(lengths, variety::few, 1);
    }
  }
}

TEST_CASE("segments end where a stretch does") {
  for (int const first : {96, 127, 128, 129}) {
    require_sorted_segments<tiny_segmented_sort, std::uint32_t>(
        {first, 128 - first % 128, 128, 40, 0}, variety::any);
    require_sorted_segments<tiny_segmented_sort, std::uint32_t>({0, first, 0, 0, 128, 0, 60, 68, 0},
                                                                variety::any);
  }
}

#ifndef LIBSCAN_TEST_QUICK
TEST_CASE("a decomposition of your own may lead back to keys, or to others that are equal") {
  for (int const length : {20, 50, 100}) {
    std::vector<int> const lengths(40, length);
    for (std::uint32_t const bits : {~1u, ~0u}) {  // all even, or not
      auto keys = make_keys<std::uint32_t>(variety::any, 40 * length);
      for (auto& key : keys) key &= bits;
      require_sorted_keys(lengths, keys, sort_order<std::uint32_t, halved>{},
                          [](auto a, auto b) { return a / 2 < b / 2; });
    }
  }
}
#endif

TEST_CASE("keys within segments are sorted by some of their bits, stably, or by none") {
  for (int const longest : {20, 120, 400}) {
    for (int const bits : {4, 0}) {
      INFO(bits << " bits, segments of less than " << longest << " items");
      auto const lengths = mixed_lengths(50, longest, 7, longest);
      auto const offsets = offsets_of(lengths);
      auto const keys = make_keys<std::uint32_t>(variety::any, offsets.back());
      auto const digit = [&](std::uint32_t key) { return key >> 7 & ((1u << bits) - 1); };
      auto const expected = taken(keys, sorted_positions(keys, offsets, [&](auto a, auto b) {
                                    return digit(a) > digit(b);
                                  }));
      workspace ws;
      device_image<std::uint32_t> in(keys), out(offsets.back());
      device_image<std::int32_t> bounds(offsets);
      segmented_sort_keys<tiny_segmented_sort>(
          ws, static_cast<std::uint32_t const*>(in.data()), out.data(), offsets.back(),
          static_cast<std::int32_t const*>(bounds.data()), 50,
          sort_order<std::uint32_t>{sort_direction::descending, 7, 7 + bits});
      REQUIRE(difference(expected, out.read()) == "");
    }
  }
}

TEST_CASE("the workspace is a buffer of each and little more") {
  for (index_t const n : {0, 1, 2048, 2049, 100000, 1000000000}) {
    auto const more = 1024 + static_cast<std::size_t>(n) * 26 / 10;
    auto const items = static_cast<std::size_t>(n);
    REQUIRE(segmented_sort_workspace_bytes<std::uint8_t>(n) <= items + more);
    REQUIRE(segmented_sort_workspace_bytes<std::uint32_t>(n) <= items * 4 + more);
    REQUIRE(segmented_sort_workspace_bytes<std::uint64_t>(n) <= items * 8 + more);
    REQUIRE(segmented_sort_workspace_bytes<std::uint32_t, std::uint32_t>(n) <= items * 8 + more);
    REQUIRE(segmented_sort_workspace_bytes<std::uint64_t, std::uint64_t>(n) <= items * 16 + more);
  }
}

TEST_CASE("outputs within segments that share memory are refused, and nothing is written") {
  auto const keys = make_keys<std::uint32_t>(variety::any, 500);
  device_image<std::uint32_t> memory(keys);
  std::uint32_t *const a = memory.data(), *const b = a + 100, *const c = b + 100,
                       *const d = c + 100;
  std::uint32_t const *const in = a, *const values = b, *const bounds = d + 100;
  auto const offsets_at = [](std::uint32_t const* place) {
    return reinterpret_cast<std::int32_t const*>(place);
  };
  workspace ws;
  auto const refused = [&](std::uint32_t* keys_out, std::uint32_t* values_out,
                           std::uint32_t const* offsets) {
    REQUIRE_THROWS_AS(segmented_sort_pairs<tiny_segmented_sort>(
                          ws, in, keys_out, values, values_out, 100, offsets_at(offsets), 2),
                      invalid_argument);
  };
  refused(a, d, bounds);
  refused(c, b, bounds);
  refused(c, a + 99, bounds);
  refused(b, d, bounds);
  refused(c, c + 1, bounds);
  for (std::uint32_t const* const at : {c, c + 99, d}) refused(c, d, at);
  REQUIRE_THROWS_AS(
      segmented_sort_keys<tiny_segmented_sort>(ws, in, a + 1, 100, offsets_at(bounds), 2),
      invalid_argument);
  REQUIRE(difference(keys, memory.read()) == "");
}

namespace {

/// Sorts ranges of keys, with and without values; what is in none stays.
template <class Tuning, class Key>
void require_sorted_ranges(some_ranges const& ranges, index_t n) {
  INFO(ranges.count() << " ranges of " << n << " items");
  auto const keys = make_keys<Key>(variety::any, n), before = make_keys<Key>(variety::few, n);
  std::vector<std::uint16_t> values(keys.size()), untouched(keys.size(), 7);
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  auto expected = before;
  auto expected_values = untouched;
  for (std::size_t s = 0; s < ranges.begins.size(); ++s) {
    auto const positions = sorted_positions(
        keys, std::vector<std::int32_t>{ranges.begins[s], ranges.ends[s]}, plain_order{});
    for (auto i = static_cast<std::size_t>(ranges.begins[s]);
         i < static_cast<std::size_t>(ranges.ends[s]); ++i) {
      expected[i] = keys[static_cast<std::size_t>(positions[i])];
      expected_values[i] = values[static_cast<std::size_t>(positions[i])];
    }
  }
  workspace ws;
  device_image<Key> in(keys, 1), alone(before), out(before, 2);
  device_image<std::uint16_t> with(values), moved(untouched, 1);
  device_image<std::int32_t> begins(ranges.begins), ends(ranges.ends);
  segment_ranges const segments{begins.data(), ends.data(), ranges.count()};
  segmented_sort_keys<Tuning>(ws, static_cast<Key const*>(in.data()), alone.data(), n, segments);
  segmented_sort_pairs<Tuning>(ws, static_cast<Key const*>(in.data()), out.data(),
                               static_cast<std::uint16_t const*>(with.data()), moved.data(), n,
                               segments);
  REQUIRE(bit_difference(expected, alone.read()) == "");
  REQUIRE(bit_difference(expected, out.read()) == "");
  REQUIRE(difference(expected_values, moved.read()) == "");
  REQUIRE(in.damage() + alone.damage() + out.damage() + moved.damage() == "");
}

}  // namespace

TEST_CASE("ranges are sorted in any order, and what is in none stays") {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (int const most : sized_list({3, 40, 700}, {3, 700})) {
      auto const ranges = some_ranges::apart(3000, most);
      require_sorted_ranges<tiny_segmented_sort, std::uint32_t>(ranges, 3000);
      require_sorted_ranges<tiny_segmented_sort, std::uint32_t>(ranges.shuffled(), 3000);
    }
    require_sorted_ranges<tiny_segmented_sort, std::uint32_t>({}, 100);
    require_sorted_ranges<tiny_segmented_sort, std::uint32_t>({{5}, {5}}, 100);
    require_sorted_ranges<tiny_segmented_sort, std::uint32_t>({{2600}, {3000}}, 3000);
  });
}

TEST_CASE("ranges between offsets are sorted where they are, and take what is said to sort") {
  std::vector<std::uint32_t> const keys{9, 3, 2, 1, 7, 5, 4}, expected{0, 2, 3, 1, 4, 5, 7};
  device_image<std::uint32_t> in(keys), out(std::vector<std::uint32_t>(7));
  device_image<std::int32_t> bounds(std::vector<std::int32_t>{1, 3, 4, 7});
  auto const between = segment_ranges<std::int32_t>::between(bounds.data(), 3);
  workspace ws;
  segmented_sort_keys(ws, static_cast<std::uint32_t const*>(in.data()), out.data(), 7, between);
  REQUIRE(out.read() == expected);

  device_image<std::int32_t> begins(std::vector<std::int32_t>{4, 1}),
      ends(std::vector<std::int32_t>{7, 3});
  segment_ranges const ranges{begins.data(), ends.data(), 2};
  auto const bytes = segmented_sort_workspace_bytes<std::uint32_t>(7, ranges);
  device::buffer<unsigned char> memory(static_cast<index_t>(bytes));
  workspace fixed(memory.data(), bytes), small(memory.data(), bytes - 1);
  auto const sort = [&](workspace& with) {
    segmented_sort_keys(with, static_cast<std::uint32_t const*>(in.data()), out.data(), 7, ranges);
  };
  sort(fixed);
  REQUIRE(out.read() == expected);
  CHECK_THROWS_AS(sort(small), invalid_argument);
  segment_ranges const written{reinterpret_cast<std::int32_t const*>(out.data()), ends.data(), 2};
  CHECK_THROWS_AS(
      segmented_sort_keys(ws, static_cast<std::uint32_t const*>(in.data()), out.data(), 7, written),
      invalid_argument);
}
