// SPDX-License-Identifier: Apache-2.0
// Device unique and run-length encoding against plain loops: sizes, lengths of runs, types,
// alignments, schedules, counts on the device.
#include <functional>

#include <libscan/runs.cuh>
#include <tests/apps/filter/device_inputs.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

/// What runs there are.
template <class T>
struct expected_runs {
  std::vector<T> values;
  std::vector<std::uint32_t> lengths;
  std::vector<index_t> offsets;

  template <class Equal>
  expected_runs(std::vector<T> const& items, Equal equal) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i == 0 || !equal(items[i - 1], items[i])) {
        values.push_back(items[i]);
        lengths.push_back(0);
        offsets.push_back(static_cast<index_t>(i));
      }
      ++lengths.back();
    }
  }
  index_t count() const { return static_cast<index_t>(values.size()); }
};

/// Items in runs of about `length`: 1 for all different, 0 for all the same, -1 for lengths from 1
/// to 1000.
template <class T>
std::vector<T> runs_of(index_t n, int length) {
  random_words words(static_cast<std::uint64_t>(n) * 4096 + static_cast<std::uint64_t>(length + 1));
  std::vector<T> items;
  std::uint64_t number = 0;
  while (static_cast<index_t>(items.size()) < n) {
    auto const longest = static_cast<std::uint64_t>(length < 0 ? 1 << words.below(10) : 2 * length);
    index_t const run = length == 0   ? n
                        : length == 1 ? 1
                                      : 1 + static_cast<index_t>(words.below(longest));
    for (index_t k = 0; k < run && static_cast<index_t>(items.size()) < n; ++k) {
      items.push_back(item_of<T>(number));
    }
    ++number;
  }
  return items;
}

template <class Item>
void require_same(std::vector<Item> const& expected, device_image<Item>& got) {
  REQUIRE(bit_difference(expected, got.read()) == "");
  REQUIRE(got.damage() == "");
}

/// Calls that find runs of T.
template <class T>
struct run_calls {
  std::function<void(workspace&, T* in, T* firsts, index_t n, index_t* count)> unique;
  std::function<void(workspace&, T* in, T* values, std::uint32_t* lengths, index_t* offsets,
                     index_t n, index_t* count)>
      encode;
};

/// Not compiled once for each way.
template <class T>
void require_runs_by(run_calls<T> const& calls, std::vector<T> const& items,
                     expected_runs<T> const& expected, int offset) {
  auto const n = static_cast<index_t>(items.size());
  index_t const runs = expected.count();
  INFO("n = " << n << ", " << runs << " runs, offset " << offset);
  dirty_workspace ws(n * 48 + 100000);
  device_image<T> in(items, offset), firsts(runs, 16 - offset), values(runs, offset);
  device_image<std::uint32_t> lengths(runs, offset % 4);
  device_image<index_t> offsets(runs), count(1), count_of_unique(1);
  calls.unique(ws, in.data(), firsts.data(), n, count_of_unique.data());
  calls.encode(ws, in.data(), values.data(), lengths.data(), offsets.data(), n, count.data());
  REQUIRE(count_of_unique.read()[0] == runs);
  REQUIRE(count.read()[0] == runs);
  require_same(expected.values, firsts);
  require_same(expected.values, values);
  require_same(expected.lengths, lengths);
  require_same(expected.offsets, offsets);
}

template <class Tuning, class T, class Equal = equal_values>
void require_runs(std::vector<T> const& items, int offset = 0, Equal equal = {}) {
  run_calls<T> const calls{[&](workspace& ws, T* in, T* firsts, index_t n, index_t* count) {
                             unique<Tuning>(ws, in, firsts, n, count, equal);
                           },
                           [&](workspace& ws, T* in, T* values, std::uint32_t* lengths,
                               index_t* offsets, index_t n, index_t* count) {
                             run_length_encode<Tuning>(ws, in, values, lengths, offsets, n, count,
                                                       equal);
                           }};
  require_runs_by(calls, items, expected_runs<T>(items, equal), offset);
}

constexpr int run_lengths[] = {0, 1, 3, 40, -1};

/// Equal up to the lowest bit.
struct same_half {
  LIBSCAN_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a / 2 == b / 2;
  }
};

}  // namespace

using smallest_ways =
    types_to_test<std::tuple<tiny_tuning, tiny_resident_filter_tuning, tiny_pipeline_tuning>,
                  std::tuple<odd_pipeline>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("with the smallest tiles, every n from 0 to 200 has the runs a loop finds",
                        "", smallest_ways) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      require_runs<TestType>(runs_of<std::uint32_t>(n, run_lengths[n % 5]));
    }
  });
}

using ways_of_many_tiles =
    types_to_test<std::tuple<tiny_tuning, tiny_pipeline_tuning>,
                  std::tuple<odd_pipeline, short_pipeline<std::uint32_t>>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("many small tiles have the runs a loop finds", "", ways_of_many_tiles) {
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const length : run_lengths) {
      require_runs<TestType>(runs_of<std::uint32_t>(scaled(5003, 2003), length));
    }
  });
}

namespace {

template <class T>
using tiles = tried<filter_tuning<T>, T>;
template <class T>
using pipelined = tried<short_pipeline<T>, T>;

}  // namespace

// No bulk copy moves a triple.
using ladder_types =
    types_to_test<std::tuple<pipelined<std::uint8_t>, tiles<triple>>,
                  std::tuple<tiles<std::uint32_t>, pipelined<pair_of_words>>,
                  std::tuple<tiles<std::uint8_t>, pipelined<std::uint32_t>, tiles<double>,
                             pipelined<double>, tiles<pair_of_words>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder of runs, in several types", "", ladder_types) {
  using T = typename TestType::with;
  using tuning = filter_tuning<T>;
  constexpr index_t tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 300000 : scaled(20000, 5000);
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
      for (int const length : run_lengths) {
        if (n > 5000 && length > 0 && !on_gpu) continue;
        require_runs<typename TestType::way>(runs_of<T>(n, length));
      }
    }
  });
}

TEST_CASE("no pointer of runs needs alignment beyond its type's") {
  int turn = 0;
  for (int offset = 0; offset <= 16; ++offset) {
    for (int const length : {1, 3, -1}) {
      if (quick_types && turn++ % 2 != 0) continue;  // lengths in turn
      auto const words = runs_of<std::uint32_t>(2000, length);
      require_runs<tiny_tuning>(words, offset);
      require_runs<tiny_pipeline_tuning>(words, offset);
      auto const bytes = runs_of<std::uint8_t>(5000, length);
      require_runs<short_pipeline<std::uint8_t>>(bytes, offset);
      if constexpr (!quick_types) {
        require_runs<short_pipeline<std::uint32_t>>(words, offset);
        require_runs<filter_tuning<std::uint8_t>>(bytes, offset);
      }
    }
  }
}

using ways_of_equality =
    types_to_test<std::tuple<tiny_tuning>, std::tuple<tiny_resident_filter_tuning>,
                  std::tuple<tiny_pipeline_tuning, chosen>>;
TEMPLATE_LIST_TEST_CASE("equality may be the caller's", "", ways_of_equality) {
  require_runs<way_of<TestType>>(runs_of<std::uint32_t>(2000, 3), 0, same_half{});
}

using ways_of_floats = types_to_test<std::tuple<tiny_tuning>, std::tuple<tiny_pipeline_tuning>,
                                     std::tuple<tiny_resident_filter_tuning, chosen>>;
TEMPLATE_LIST_TEST_CASE("NaN equals nothing", "", ways_of_floats) {
  std::vector<float> items(500, 1.0f);
  items[7] = items[8] = items[400] = std::numeric_limits<float>::quiet_NaN();
  items[300] = -0.0f;
  items[301] = 0.0f;
  require_runs<way_of<TestType>>(items);
}

using ways_of_parts =
    types_to_test<std::tuple<tiny_pipeline_tuning, chosen>,
                  std::tuple<tiny_tuning, tiny_resident_filter_tuning>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("runs can be encoded in part, of a number of items on the device", "",
                        ways_of_parts) {
  auto const items = runs_of<std::uint32_t>(3000, 4);
  for (index_t const n : {index_t{0}, index_t{1}, index_t{2000}}) {
    INFO("n = " << n);
    expected_runs<std::uint32_t> const expected(
        std::vector<std::uint32_t>(items.begin(), items.begin() + n), equal_values{});
    device_image<std::uint32_t> in(items), lengths(expected.count());
    device_image<index_t> d_n(std::vector<index_t>{n}), count(1);
    workspace ws;
    run_length_encode<way_of<TestType>>(ws, in.data(), no_output{}, lengths.data(), no_output{},
                                        item_count::on_device(d_n.data(), 3000), count.data());
    REQUIRE(count.read()[0] == expected.count());
    require_same(expected.lengths, lengths);
    device_image<index_t> offsets(expected.count());
    run_length_encode<way_of<TestType>>(ws, in.data(), no_output{}, no_output{}, offsets.data(),
                                        item_count::on_device(d_n.data(), 3000), nullptr);
    require_same(expected.offsets, offsets);
  }
}

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("many items have the runs a loop finds, the way the library chooses") {
  if (reduced()) return;
  index_t const n = on_gpu ? 4500001 : 530001;
  device::buffer<std::byte> const memory(
      static_cast<index_t>(run_length_workspace_bytes<double>(n)));
  require_runs<automatic>(runs_of<double>(n, -1));
  require_runs<automatic>(runs_of<pair_of_words>(n, 3));
  auto const items = runs_of<double>(n, 2);
  expected_runs<double> const expected(items, equal_values{});
  workspace ws(memory.data(), run_length_workspace_bytes<double>(n));
  device_image<double> in(items);
  device_image<std::uint32_t> lengths(expected.count());
  run_length_encode(ws, in.data(), no_output{}, lengths.data(), no_output{}, n, nullptr);
  require_same(expected.lengths, lengths);
}
#endif

TEST_CASE("runs are not written where items are read, nor to one place twice") {
  constexpr index_t n = 100;
  auto const items = runs_of<std::uint32_t>(4 * n, 3);
  device_image<std::uint32_t> memory(items);
  device_image<index_t> count(std::vector<index_t>{7});
  std::uint32_t *const in = memory.data(), *const a = in + n, *const b = a + n, *const c = b + n;
  workspace ws;
  for (std::uint32_t* const out : {in, in + n - 1, b}) {
    REQUIRE_THROWS_AS(run_length_encode<tiny_tuning>(ws, in, out, b, c, n, count.data()),
                      invalid_argument);
    REQUIRE_THROWS_AS(run_length_encode<tiny_tuning>(ws, in, b, out, c, n, count.data()),
                      invalid_argument);
    REQUIRE_THROWS_AS(run_length_encode<tiny_tuning>(ws, in, b, c, out, n, count.data()),
                      invalid_argument);
  }
  for (std::uint32_t* const out : {in + 1, in + n - 1}) {
    REQUIRE_THROWS_AS(unique<tiny_tuning>(ws, in, out, n, count.data()), invalid_argument);
  }
  REQUIRE_THROWS_AS(run_length_encode<tiny_tuning>(ws, in, a, b, b, n, count.data()),
                    invalid_argument);
  REQUIRE(difference(items, memory.read()) == "");
  REQUIRE(count.read()[0] == 7);
}
