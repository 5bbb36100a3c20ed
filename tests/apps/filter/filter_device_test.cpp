// SPDX-License-Identifier: Apache-2.0
// The device filter against std::copy_if: sizes, selectivities, schedules, counts on the device.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <apps/filter/filter.cuh>
#include <apps/filter/predicate.hpp>
#include <libscan/device/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Filters on the device, between canaries, and requires what std::copy_if keeps.
template <class Tuning, class T, class Predicate>
void require_filter(std::vector<T> const& items, Predicate keep, int offset = 0) {
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
  filter<Tuning>(ws, in.data(), out.data(), n, keep, count.data());
  filter_indices<Tuning>(ws, in.data(), indices.data(), n, keep, count_of_indices.data());
  REQUIRE(count.read()[0] == kept);
  REQUIRE(count_of_indices.read()[0] == kept);
  REQUIRE(bit_difference(expected, out.read()) == "");
  REQUIRE(difference(expected_indices, indices.read()) == "");
  REQUIRE(bit_difference(items, in.read()) == "");
  REQUIRE(in.damage() == "");
  REQUIRE(out.damage() == "");
  REQUIRE(indices.damage() == "");
  REQUIRE(count.damage() == "");
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

template <class T>
std::vector<T> one_in_the_middle(index_t n) {
  std::vector<T> items(static_cast<std::size_t>(n), T(100));
  if (n > 0) items[static_cast<std::size_t>(n / 2)] = T(0);
  return items;
}

}  // namespace

TEST_CASE("with the smallest tiles, every n from 0 to 200 keeps what copy_if keeps") {
  each_schedule(scaled(6, 2), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      require_filter<tiny_tuning>(percentiles<std::int32_t>(n), some<std::int32_t>(49));
    }
  });
}

TEMPLATE_TEST_CASE("the size ladder at every selectivity, in several types", "", std::uint8_t,
                   std::int16_t, std::uint32_t, float, double) {
  using tuning = filter_tuning<TestType>;
  constexpr index_t tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 2000000 : scaled(140000, 9000);
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
      require_filter<tuning>(percentiles<TestType>(n), some<TestType>(49));
      if (n > 10000 && !on_gpu) continue;
      require_filter<tuning>(percentiles<TestType>(n), some<TestType>(0));
      require_filter<tuning>(percentiles<TestType>(n), some<TestType>(98));
      require_filter<tuning>(percentiles<TestType>(n), some<TestType>(99));
      require_filter<tuning>(std::vector<TestType>(static_cast<std::size_t>(n), TestType(100)),
                             some<TestType>(99));
      require_filter<tuning>(one_in_the_middle<TestType>(n), some<TestType>(99));
    }
  });
}

TEST_CASE("no pointer of a filter needs alignment beyond its type's") {
  for (int offset = 0; offset <= 16; ++offset) {
    require_filter<tiny_tuning>(percentiles<std::uint8_t>(500), some<std::uint8_t>(30), offset);
    require_filter<filter_tuning<double>>(percentiles<double>(500), some<double>(30), offset);
  }
}

TEST_CASE("a program of tests keeps the same on the device as on the host") {
  predicate_program<float> program;
  using operation = predicate_program<float>::operation;
  program.append({operation::test, {20.0f, 40.0f}});
  program.append({operation::test, {60.0f, 80.0f, true, true}});
  program.append({operation::negation, {}});
  program.append({operation::disjunction, {}});
  require_filter<filter_tuning<float>>(percentiles<float>(5000), program);
}

TEST_CASE("a filter's count feeds the next call without leaving the device") {
  auto const items = percentiles<std::int32_t>(3000);
  device_image<std::int32_t> in(items), kept(3000), kept_twice(3000);
  device_image<index_t> count(1), count_twice(1);
  device_image<std::int32_t> offsets(3000), total(1);
  workspace ws;
  filter<tiny_tuning>(ws, in.data(), kept.data(), 3000, some<std::int32_t>(70), count.data());
  auto const n = item_count::on_device(count.data(), 3000);
  filter<tiny_tuning>(ws, kept.data(), kept_twice.data(), n, some<std::int32_t>(20),
                      count_twice.data());
  exclusive_scan<tiny_tuning>(ws, kept_twice.data(), offsets.data(),
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
