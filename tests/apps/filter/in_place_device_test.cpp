// SPDX-License-Identifier: Apache-2.0
// Device filters and `unique` whose output is their input, against plain loops. A tile that is
// written before all that read it have done so gives a wrong item under some schedule, and is a
// race under racecheck.
#include <libscan/runs.cuh>
#include <libscan/split.cuh>
#include <tests/apps/filter/device_inputs.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Keeps items of odd numbers.
struct is_odd {
  template <class T>
  LIBSCAN_HOST_DEVICE bool operator()(T const& x) const {
    return (static_cast<std::uint64_t>(x) & 1u) != 0;
  }
  LIBSCAN_HOST_DEVICE bool operator()(triple const& x) const { return (x.a & 1u) != 0; }
  LIBSCAN_HOST_DEVICE bool operator()(pair_of_words const& x) const { return (x.first & 1u) != 0; }
};

/// Which items of n are kept, of so many of 1000; if negative, all but so many at the front: with
/// -2 each tile writes over the end of the one before it and most of its own.
std::vector<std::uint8_t> kept_items(index_t n, int per_mille) {
  if (per_mille >= 0) return choices(n, per_mille);
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(n), std::uint8_t{1});
  std::fill_n(chosen.begin(), std::min<index_t>(n, -per_mille), std::uint8_t{0});
  return chosen;
}

constexpr int selectivities[] = {0, 10, 500, 990, 1000, -2};

/// Calls call(workspace, items, n, count) and requires that it leaves the expected items in front,
/// and those after them only.
template <class T, class Call>
void require_in_place(std::vector<T> const& items, std::vector<T> const& expected, int offset,
                      Call call) {
  auto const n = static_cast<index_t>(items.size());
  auto const kept = static_cast<index_t>(expected.size());
  dirty_workspace ws(n * 48 + 100000);
  device_image<T> image(items, offset);
  device_image<index_t> count(1);
  call(ws, image.data(), n, count.data());
  REQUIRE(count.read()[0] == kept);
  std::vector<T> left = expected;
  left.insert(left.end(), items.begin() + kept, items.end());
  REQUIRE(bit_difference(left, image.read()) == "");
  REQUIRE(image.damage() + count.damage() == "");
}

/// By a predicate, by flags and by bits.
template <class Tuning, class T>
void require_filters(index_t n, int per_mille, int offset = 0) {
  auto const chosen = kept_items(n, per_mille);
  std::vector<T> items;
  for (index_t i = 0; i < n; ++i) {
    items.push_back(item_of<T>(static_cast<std::uint64_t>(2 * i + chosen[std::size_t(i)])));
  }
  division<T> const expected(items, chosen);
  device_image<std::uint8_t> const flags(as_flags(chosen), offset);
  device_image<std::uint32_t> const bits(as_bits(chosen), offset);
  INFO("n = " << n << ", " << per_mille << " per mille, offset " << offset);
  require_in_place(items, expected.kept, offset,
                   [](workspace& ws, T* all, index_t length, index_t* count) {
                     filter<Tuning>(ws, all, all, length, is_odd{}, count);
                   });
  require_in_place(items, expected.kept, offset,
                   [&](workspace& ws, T const* all, index_t length, index_t* count) {
                     filter<Tuning>(ws, all, const_cast<T*>(all), length, byte_mask{flags.data()},
                                    count);
                   });
  require_in_place(items, expected.kept, offset,
                   [&](workspace& ws, T* all, index_t length, index_t* count) {
                     filter<Tuning>(ws, all, all, length, bit_mask{bits.data()}, count);
                   });
}

/// Where runs begin is where items are kept.
template <class Tuning, class T>
void require_unique(index_t n, int per_mille, int offset = 0) {
  auto const chosen = kept_items(n, per_mille);
  std::vector<T> items, expected;
  std::uint64_t number = 0;
  for (index_t i = 0; i < n; ++i) {
    number += chosen[std::size_t(i)];
    items.push_back(item_of<T>(number));
    if (i == 0 || chosen[std::size_t(i)] != 0) expected.push_back(items.back());
  }
  INFO("n = " << n << ", " << per_mille << " per mille, offset " << offset);
  require_in_place(items, expected, offset,
                   [](workspace& ws, T* all, index_t length, index_t* count) {
                     unique<Tuning>(ws, all, all, length, count);
                   });
}

/// All of them.
template <class Tuning, class T>
void require_all(index_t n, int per_mille, int offset = 0) {
  require_filters<Tuning, T>(n, per_mille, offset);
  require_unique<Tuning, T>(n, per_mille, offset);
}

/// A pipeline whose blocks claim tiles, with one in flight at a time.
struct claiming_pipeline : tiny_pipeline_tuning {
  [[maybe_unused]] static constexpr int stages = 2;
};

}  // namespace

using smallest_ways =
    types_to_test<std::tuple<tiny_tuning, tiny_resident_filter_tuning, tiny_pipeline_tuning>,
                  std::tuple<claiming_pipeline, odd_pipeline>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("with the smallest tiles, every n from 0 to 200 is filtered in place", "",
                        smallest_ways) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      require_all<TestType, std::uint32_t>(n, selectivities[n % 6]);
    }
  });
}

using ways_of_many_tiles = types_to_test<std::tuple<tiny_tuning, tiny_pipeline_tuning>,
                                         std::tuple<claiming_pipeline, odd_pipeline>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("many small tiles are filtered in place, however long others wait", "",
                        ways_of_many_tiles) {
  each_schedule(scaled(6, 2), [](std::string const& schedule) {
    INFO(schedule);
    for (int const per_mille : selectivities) {
      require_all<TestType, std::uint32_t>(scaled(5003, 1501), per_mille);
    }
  });
}

// A tile looks back at 32 others by itself; of those before them it learns from these.
TEST_CASE("a tile goes over the input of one more than 32 tiles before it") {
  auto const require = [] {
    for (int const tiles : sized_list({20, 33, 40}, {20, 33})) {
      require_all<tiny_tuning, std::uint32_t>(3200, -32 * tiles - 1);
      require_all<tiny_pipeline_tuning, std::uint32_t>(6400, -256 * tiles / 8);
    }
  };
#ifdef __CUDACC__
  require();
#else
  for (unsigned s = 0; s < sized(4, 2); ++s) {
    simt::executor::settings how = s == 0 ? simt::executor::settings{} : simt::executor::seeded(s);
    how.blocks_in_flight = how.multiprocessors = 64;
    simt::executor::scoped_settings const many_blocks(how);
    require();
  }
#endif
}

namespace {

template <class T>
using tiles = tried<filter_tuning<T>, T>;
template <class T>
using pipelined = tried<short_pipeline<T>, T>;

}  // namespace

// No bulk copy moves a triple.
using ladder_types =
    types_to_test<std::tuple<pipelined<std::uint8_t>>,
                  std::tuple<tiles<triple>, pipelined<std::int16_t>, pipelined<pair_of_words>>,
                  std::tuple<tiles<std::uint8_t>, tiles<std::int16_t>, tiles<std::uint32_t>,
                             pipelined<std::uint32_t>, tiles<std::int64_t>, pipelined<std::int64_t>,
                             tiles<pair_of_words>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder is filtered in place, in items of 1 to 16 bytes", "",
                        ladder_types) {
  using T = typename TestType::with;
  using pipeline = short_pipeline<std::conditional_t<sizeof(T) == 12, std::uint64_t, T>>;
  constexpr index_t tile =
      index_t{pipeline::group_threads} * pipeline::vector_items * pipeline::rows;
  index_t const limit = on_gpu ? 2000000 : scaled(70000, 9000);
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, pipeline::group_threads, limit)) {
      for (int const per_mille : {500, -2}) {
        require_all<typename TestType::way, T>(n, per_mille, static_cast<int>(n % 5));
      }
    }
  });
}

TEST_CASE("in place the library chooses, and finds space in the workspace it requests") {
  if (reduced()) return;
  using chosen_type = std::uint64_t;
  for (index_t const n : {index_t{1000}, index_t{60001}, index_t{300001}}) {
    if constexpr (!few_types || on_gpu) require_all<void, std::uint32_t>(n, 500);
    require_all<void, chosen_type>(n, 990);
  }
}

TEST_CASE("positions are written while items go over the input") {
  constexpr index_t n = 3000;
  auto const chosen = kept_items(n, 600);
  std::vector<std::uint32_t> items;
  for (index_t i = 0; i < n; ++i) {
    items.push_back(static_cast<std::uint32_t>(2 * i + chosen[std::size_t(i)]));
  }
  division<std::uint32_t> const expected(items, chosen);
  device_image<index_t> positions(expected.count());
  each_schedule(2, [&](std::string const& schedule) {
    INFO(schedule);
    require_in_place(items, expected.kept, 0,
                     [&](workspace& ws, std::uint32_t* all, index_t length, index_t* count) {
                       filter_with_indices<tiny_pipeline_tuning>(ws, all, all, positions.data(),
                                                                 length, is_odd{}, count);
                     });
    REQUIRE(difference(expected.positions, positions.read()) == "");
  });
}

TEST_CASE("outputs of device filters that overlap otherwise than exactly are refused") {
  device_image<std::uint32_t> items(std::vector<std::uint32_t>(100));
  device_image<std::uint8_t> bytes(std::vector<std::uint8_t>(100));
  auto* const in = items.data();
  auto* const floats = reinterpret_cast<float*>(in);
  workspace ws;
  using refused = invalid_argument;
  CHECK_THROWS_AS(filter(ws, in, in + 1, 100, is_odd{}, nullptr), refused);
  CHECK_THROWS_AS(unique(ws, in, in + 99, 100, nullptr), refused);
  CHECK_THROWS_AS(filter(ws, in, floats, 100, is_odd{}, nullptr), refused);
  CHECK_THROWS_AS(filter(ws, in, in, 100, bit_mask{in}, nullptr), refused);
  CHECK_THROWS_AS(filter(ws, bytes.data(), bytes.data(), 100, byte_mask{bytes.data()}, nullptr),
                  refused);
  CHECK_THROWS_AS(split(ws, in, in, in + 200, 100, is_odd{}, nullptr), refused);
  try {
    filter(ws, in, in + 1, 100, is_odd{}, nullptr);
  } catch (refused const& error) {
    CHECK(std::string(error.what()) ==
          "filter: an output begins within the input; expected memory separate from it, or exactly "
          "at "
          "its start");
  }
}
