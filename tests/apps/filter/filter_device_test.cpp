// SPDX-License-Identifier: Apache-2.0
// The device filter against std::copy_if: sizes, selectivities, schedules, counts on the device.
#include <functional>

#include <libscan/predicate.hpp>
#include <libscan/scan.cuh>
#include <tests/apps/filter/device_inputs.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

/// Items of 16 bytes that need not be aligned to them.
struct labeled {
  std::uint64_t label;
  std::uint64_t value;
  bool operator==(labeled const&) const = default;
};
struct has_low_value {
  LIBSCAN_HOST_DEVICE bool operator()(labeled const& x) const { return x.value < 40; }
};

/// Calls that keep items of T, or their indices.
template <class T>
struct filter_calls {
  std::function<void(workspace&, T* in, T* out, index_t n, index_t* count)> filter;
  std::function<void(workspace&, T* in, index_t* out, index_t n, index_t* count)> indices;
};

/// Requires, between canaries, what std::copy_if keeps. Not compiled once for each way.
template <class T, class Predicate>
void require_filter_by(filter_calls<T> const& calls, std::vector<T> const& items, Predicate keep,
                       int offset) {
  auto const n = static_cast<index_t>(items.size());
  std::vector<T> expected;
  std::vector<index_t> expected_indices;
  for (index_t i = 0; i < n; ++i) {
    if (!keep(items[static_cast<std::size_t>(i)])) continue;
    expected.push_back(items[static_cast<std::size_t>(i)]);
    expected_indices.push_back(i);
  }
  INFO("n = " << n << ", " << expected.size() << " kept, offset " << offset);
  auto const kept = static_cast<index_t>(expected.size());
  workspace ws;
  device_image<T> in(items, offset), out(kept, 16 - offset);
  device_image<index_t> indices(kept, offset % 8), count(1), count_of_indices(1);
  calls.filter(ws, in.data(), out.data(), n, count.data());
  calls.indices(ws, in.data(), indices.data(), n, count_of_indices.data());
  REQUIRE(count.read()[0] == kept);
  REQUIRE(count_of_indices.read()[0] == kept);
  REQUIRE(bit_difference(expected, out.read()) == "");
  REQUIRE(difference(expected_indices, indices.read()) == "");
  REQUIRE(bit_difference(items, in.read()) == "");
  REQUIRE(in.damage() + out.damage() + indices.damage() + count.damage() == "");
}

/// Filters on the device and requires what std::copy_if keeps.
template <class Tuning, class T, class Predicate>
void require_filter(std::vector<T> const& items, Predicate keep, int offset = 0) {
  filter_calls<T> const calls{[&](workspace& ws, T* in, T* out, index_t n, index_t* count) {
                                filter<Tuning>(ws, in, out, n, keep, count);
                              },
                              [&](workspace& ws, T* in, index_t* out, index_t n, index_t* count) {
                                filter_indices<Tuning>(ws, in, out, n, keep, count);
                              }};
  require_filter_by(calls, items, keep, offset);
}

/// Keeps about `percent` of random bytes' worth of values.
template <class T>
in_interval<T> some(int percent) {
  return {T(0), static_cast<T>(percent)};
}

/// Values 0 ... 99, so that `some(p)` keeps p + 1 of a hundred.
template <class T>
std::vector<T> percentiles(index_t n) {
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<T> items;
  for (index_t i = 0; i < n; ++i) items.push_back(static_cast<T>(words.below(100)));
  return items;
}

/// Counts how often it is called for each number.
struct counts_questions {
  std::uint32_t* requested;
  __device__ bool operator()(std::uint32_t x) const {
    simt::atomic_ref<std::uint32_t>(requested[x]).fetch_add(1, simt::memory_order_relaxed);
    return x % 3 == 0;
  }
};

template <class T>
std::vector<T> one_in_the_middle(index_t n) {
  std::vector<T> items(static_cast<std::size_t>(n), T(100));
  if (n > 0) items[static_cast<std::size_t>(n / 2)] = T(0);
  return items;
}

}  // namespace

using smallest_ways =
    types_to_test<std::tuple<tiny_tuning, tiny_resident_filter_tuning, tiny_pipeline_tuning>,
                  std::tuple<odd_pipeline>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("with the smallest tiles, every n from 0 to 200 keeps what copy_if keeps",
                        "", smallest_ways) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      require_filter<TestType>(percentiles<std::int32_t>(n), some<std::int32_t>(49));
    }
  });
}

using ways_of_many_tiles =
    types_to_test<std::tuple<tiny_tuning, tiny_pipeline_tuning>,
                  std::tuple<odd_pipeline, short_pipeline<std::uint16_t>>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("many small tiles keep what copy_if keeps", "", ways_of_many_tiles) {
  each_schedule(scaled(6, 2), [](std::string const& schedule) {
    INFO(schedule);
    for (int const percent : {0, 49, 98, 99}) {
      require_filter<TestType>(percentiles<std::uint16_t>(sized(9999, 4999)),
                               some<std::uint16_t>(percent));
    }
    require_filter<TestType>(one_in_the_middle<std::uint16_t>(5000), some<std::uint16_t>(99));
  });
}

namespace {

template <class T>
using tiles = tried<filter_tuning<T>, T>;
template <class T>
using small_pipeline = tried<short_pipeline<T>, T>;
template <class T>
using large_pipeline = tried<pipelined_filter_tuning<T>, T>;

}  // namespace

using ladder_types = types_to_test<
    std::tuple<large_pipeline<std::uint8_t>, tiles<std::uint32_t>>,
    std::tuple<small_pipeline<double>, tiles<std::uint8_t>>,
    std::tuple<small_pipeline<std::uint8_t>, small_pipeline<std::uint32_t>,
               large_pipeline<std::uint32_t>, tiles<std::int16_t>, small_pipeline<std::int16_t>,
               large_pipeline<std::int16_t>, tiles<float>, small_pipeline<float>,
               large_pipeline<float>, tiles<double>, large_pipeline<double>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder at every selectivity, in several types", "",
                        ladder_types) {
  using T = typename TestType::with;
  using tuning = filter_tuning<T>;
  using pipeline = pipelined_filter_tuning<T>;
  constexpr index_t tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  constexpr index_t pipeline_tile =
      index_t{pipeline::group_threads} * pipeline::vector_items * pipeline::rows;
  index_t const limit = on_gpu ? 2000000 : scaled(140000, quick_types ? 4500 : 9000);
  auto const require = [](std::vector<T> const& items, int percent) {
    require_filter<typename TestType::way>(items, some<T>(percent));
  };
  int turn = 0;
  auto const in_turn = [&](std::vector<T> const& items, int percent) {
    if (!quick_types || turn++ % 2 == 0) require(items, percent);
  };
  auto sizes = size_ladder(tile, tuning::block_threads, limit);
  for (index_t const n : size_ladder(pipeline_tile, pipeline::group_threads, limit)) {
    sizes.push_back(n);
  }
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sizes) {
      require(percentiles<T>(n), 49);
      if (n > sized(10000, 2000) && !on_gpu) continue;
      in_turn(percentiles<T>(n), 0);
      in_turn(percentiles<T>(n), 98);
      in_turn(percentiles<T>(n), 99);
      in_turn(std::vector<T>(static_cast<std::size_t>(n), T(100)), 99);
      in_turn(one_in_the_middle<T>(n), 99);
    }
  });
}

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("many items are filtered the way the library chooses") {
  if (reduced()) return;
  for (index_t const n : {index_t{1} << 17, index_t{600001}}) {
    require_filter<automatic>(percentiles<double>(n), some<double>(49));
  }
}

#endif

using unaligned_types = types_to_test<
    std::tuple<tried<short_pipeline<std::uint8_t>, std::uint8_t>,
               tried<tiny_tuning, std::uint32_t>>,
    std::tuple<tried<chosen, std::uint8_t>, tried<tiny_pipeline_tuning, double>>,
    std::tuple<tried<tiny_tuning, std::uint8_t>, tried<tiny_pipeline_tuning, std::uint8_t>,
               tried<tiny_tuning, std::int16_t>, tried<tiny_pipeline_tuning, std::int16_t>,
               tried<chosen, std::int16_t>, tried<short_pipeline<std::int16_t>, std::int16_t>,
               tried<tiny_pipeline_tuning, std::uint32_t>, tried<chosen, std::uint32_t>,
               tried<short_pipeline<std::uint32_t>, std::uint32_t>, tried<tiny_tuning, double>,
               tried<chosen, double>, tried<short_pipeline<double>, double>>>;
TEMPLATE_LIST_TEST_CASE("no pointer of a filter needs alignment beyond its type's", "",
                        unaligned_types) {
  using T = typename TestType::with;
  for (int offset = 0; offset <= 16; offset += sized(1, 5)) {
    auto const items = percentiles<T>(5000);
    for (int const percent : {30, 99}) {
      require_filter<way_of<typename TestType::way>>(items, some<T>(percent), offset);
    }
  }
}

TEST_CASE("items of 16 bytes need no alignment to 16") {
  std::vector<labeled> items;
  for (std::uint64_t i = 0; i < 3000; ++i) items.push_back({i, i * i % 100});
  has_low_value const keep;
  std::vector<labeled> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), keep);
  for (int const in_words : {0, 1}) {
    for (int const out_words : {0, 1}) {
      INFO(in_words << " and " << out_words << " words off");
      device_image<std::uint64_t> in(std::vector<std::uint64_t>(2 * items.size()), in_words);
      device_image<std::uint64_t> out(2 * static_cast<index_t>(expected.size()), out_words);
      device_image<index_t> count(1);
      simt::copy_async(in.data(), items.data(), items.size() * sizeof(labeled));
      workspace ws;
      filter<short_pipeline<labeled>>(ws, reinterpret_cast<labeled const*>(in.data()),
                                      reinterpret_cast<labeled*>(out.data()), 3000, keep,
                                      count.data());
      std::vector<std::uint64_t> words;
      for (labeled const& x : expected) words.insert(words.end(), {x.label, x.value});
      REQUIRE(count.read()[0] == static_cast<index_t>(expected.size()));
      REQUIRE(difference(words, out.read()) == "");
      REQUIRE(out.damage() == "");
    }
  }
}

using converting_ways =
    types_to_test<std::tuple<tiny_pipeline_tuning>, std::tuple<tiny_tuning>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("items are converted to what the output holds", "", converting_ways) {
  auto const items = percentiles<std::uint8_t>(2000);
  device_image<std::uint8_t> in(items);
  std::vector<std::int64_t> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), some<std::uint8_t>(20));
  device_image<std::int64_t> out(static_cast<index_t>(expected.size()));
  workspace ws;
  filter<way_of<TestType>>(ws, in.data(), out.data(), 2000, some<std::uint8_t>(20), nullptr);
  REQUIRE(difference(expected, out.read()) == "");
  REQUIRE(out.damage() == "");
}

using asking_ways =
    types_to_test<std::tuple<tiny_tuning, short_pipeline<std::uint32_t>>,
                  std::tuple<tiny_pipeline_tuning, odd_pipeline>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("the device's predicate is called once for each item, and for no other", "",
                        asking_ways) {
  constexpr index_t n = 5003;
  std::vector<std::uint32_t> items;
  for (std::uint32_t i = 0; i < n; ++i) items.push_back(i + 1);
  device_image<std::uint32_t> in(items, 1), out(n), requested(std::vector<std::uint32_t>(n + 1));
  workspace ws;
  filter<way_of<TestType>>(ws, in.data(), out.data(), n, counts_questions{requested.data()},
                           nullptr);
  auto const times = requested.read();
  REQUIRE(times[0] == 0);
  REQUIRE(std::count(times.begin() + 1, times.end(), 1u) == n);
}

TEST_CASE("a filter finds space in the workspace it requests") {
  constexpr index_t n = sized(600001, 200001);
  auto const items = percentiles<double>(n);
  device::buffer<std::byte> const memory(static_cast<index_t>(filter_workspace_bytes<double>(n)));
  workspace ws(memory.data(), filter_workspace_bytes<double>(n));
  device_image<double> in(items), out(n);
  device_image<index_t> count(1);
  filter(ws, in.data(), out.data(), n, some<double>(9), count.data());
  REQUIRE(count.read()[0] == std::count_if(items.begin(), items.end(), some<double>(9)));
}

TEST_CASE("a program of tests keeps the same on the device as on the host") {
  predicate_program<float> program;
  using operation = predicate_program<float>::operation;
  program.append({operation::test, {20.0f, 40.0f}});
  program.append({operation::test, {60.0f, 80.0f, true, true}});
  program.append({operation::negation, {}});
  program.append({operation::disjunction, {}});
  if constexpr (!quick_types) {
    require_filter<filter_tuning<float>>(percentiles<float>(5000), program);
  }
  require_filter<short_pipeline<float>>(percentiles<float>(5000), program);
}

using feeding_ways =
    types_to_test<std::tuple<tiny_tuning>, std::tuple<tiny_pipeline_tuning>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("a filter's count feeds the next call without leaving the device", "",
                        feeding_ways) {
  auto const items = percentiles<std::int32_t>(3000);
  device_image<std::int32_t> in(items), kept(3000), kept_twice(3000);
  device_image<index_t> count(1), count_twice(1);
  device_image<std::int32_t> offsets(3000), total(1);
  workspace ws;
  filter<TestType>(ws, in.data(), kept.data(), 3000, some<std::int32_t>(70), count.data());
  auto const n = item_count::on_device(count.data(), 3000);
  filter<TestType>(ws, kept.data(), kept_twice.data(), n, some<std::int32_t>(20),
                   count_twice.data());
  exclusive_scan<TestType>(ws, kept_twice.data(), offsets.data(),
                           item_count::on_device(count_twice.data(), 3000), plus<std::int32_t>{},
                           total.data());
  std::vector<std::int32_t> expected;
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected),
               [](std::int32_t x) { return x <= 20; });
  REQUIRE(count_twice.read()[0] == static_cast<index_t>(expected.size()));
  auto const scanned = scan_oracle(scan_kind::exclusive, expected, plus<std::int32_t>{}, 0);
  auto got = offsets.read();
  got.resize(expected.size());
  REQUIRE(difference(scanned, {got, total.read()[0]}) == "");
}
