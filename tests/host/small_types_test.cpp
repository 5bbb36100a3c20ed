// SPDX-License-Identifier: Apache-2.0
// Bools and 16-bit floats in calls that compare them: filters, runs, sorts, histograms, segments by
// keys, differences. Against plain loops over floats, on every engine and in device memory.
#include <libscan/filter_device_calls.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/callables.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/selection.hpp>
#include <libscan/sort_device_calls.hpp>
#include <tests/apps/filter/selection_host_api_cases.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

/// Halves with neighbors that are equal, zeros of both signs, infinities and NaN.
template <class Half>
std::vector<Half> some_halves(index_t n) {
  float const infinity = std::numeric_limits<float>::infinity();
  float const numbers[] = {0.0F, -0.0F, 1.5F, -2.0F, infinity, std::nanf(""), -infinity, 0.1F};
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<Half> items;
  while (static_cast<index_t>(items.size()) < n) {
    std::size_t const run = std::min<std::size_t>(1 + words.below(4), n - items.size());
    items.insert(items.end(), run, Half(numbers[words.below(8)]));
  }
  return items;
}

template <class Half>
std::vector<float> as_floats(std::vector<Half> const& halves) {
  std::vector<float> floats;
  for (Half const half : halves) floats.push_back(static_cast<float>(half));
  return floats;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The items at some positions.
template <class T>
std::vector<T> at_places(std::vector<T> const& items, std::vector<index_t> const& places) {
  std::vector<T> result;
  for (index_t const place : places) result.push_back(items[static_cast<std::size_t>(place)]);
  return result;
}

TEMPLATE_TEST_CASE("predicates decide about 16-bit floats as about the floats that they are", "",
                   float16, bfloat16) {
  // Every one of them, and fewer for the engines.
  auto const every = [](unsigned step) {
    std::vector<TestType> items;
    for (unsigned bits = 0; bits < 65536; bits += step) {
      items.push_back(TestType::of_bits(static_cast<std::uint16_t>(bits)));
    }
    return items;
  };
  auto const all = every(static_cast<unsigned>(sized(13, 64)));
  auto const n = static_cast<index_t>(all.size());
  std::vector<float> const floats = as_floats(all);
  float const tenth = static_cast<float>(TestType(0.1));
  float const large = static_cast<float>(TestType(65519.0));
  struct {
    char const* text;
    std::function<bool(float)> keeps;
  } const tests[] = {{"> 0.1", [=](float x) { return x > tenth; }},
                     {"== 0", [](float x) { return x == 0; }},
                     {"not < 2 and finite", [](float x) { return x >= 2 && std::isfinite(x); }},
                     {"nan or >= 65519", [=](float x) { return std::isnan(x) || x >= large; }},
                     {"!= -1 and <= 1e-7 or == inf", [](float x) {
                        return (x != -1 && x <= static_cast<float>(TestType(1e-7))) ||
                               x == std::numeric_limits<float>::infinity();
                      }}};
  for (auto const& test : tests) {
    std::vector<index_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (test.keeps(floats[i])) places.push_back(static_cast<index_t>(i));
    }
    auto const keep = parse_predicate<TestType>(test.text);
    for (TestType const half : every(1)) {
      if (keep(half) != test.keeps(static_cast<float>(half))) FAIL(test.text << " " << half.bits);
    }
    auto const count = static_cast<index_t>(places.size());
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << test.text);
      std::vector<TestType> out(all.size());
      REQUIRE(filter(on, all, out, keep) == count);
      out.resize(places.size());
      CHECK(same_bits(out, at_places(all, places)));
      std::vector<index_t> found(places.size());
      CHECK(filter_indices(on, all, found, keep) == count);
      CHECK(found == places);
      CHECK(count_if(on, all, keep) == count);
      std::vector<TestType> rest(all.size() - places.size());
      CHECK(split(on, all, out, rest, keep) == count);
      CHECK(same_bits(out, at_places(all, places)));
    }
    for (engine const& on : machines()) {
      device_memory<TestType> const in(on, all), out(on, n);
      device_memory<index_t> const kept(on, 1);
      filter(device_queue{on}, device_span{in.data(), n}, out.data(), keep, kept.data());
      CHECK(same_bits(front(out, kept.copy()[0]), at_places(all, places)));
    }
  }
}

TEST_CASE("numbers in text are rounded to 16 bits once, as from double") {
  // A little more than halfway between 2048 and 2050; as a float it would be halfway.
  CHECK(float16(2049.00001).bits == float16(2050).bits);
  CHECK(float16(-2049.00001).bits == float16(-2050).bits);
  CHECK(float16(2048.99999).bits == float16(2048).bits);
  CHECK(float16(2051.0).bits == float16(2052).bits);
  CHECK(bfloat16(256.0 + 1 + 1e-9).bits == bfloat16(258).bits);
  CHECK(bfloat16(1e300).bits == bfloat16(std::numeric_limits<float>::infinity()).bits);
  CHECK(float16(1e-300).bits == 0);
  CHECK(float16(-1e-300).bits == 0x8000);
  float16 assigned(0);
  assigned = 2049.00001;
  CHECK(assigned.bits == float16(2050).bits);
  CHECK(bfloat16(std::int64_t{16842753}).bits == bfloat16(16842753.0).bits);
  CHECK(bfloat16(16842753).bits == bfloat16(16842753.0).bits);
  CHECK(bfloat16(16842752).bits == bfloat16(16842752.0).bits);
  CHECK(bfloat16((std::int64_t{257} << 54) + 1).bits == bfloat16(258 * 0x1p54).bits);
  CHECK(bfloat16(-(std::int64_t{257} << 54) - 1).bits == bfloat16(-258 * 0x1p54).bits);
  CHECK(bfloat16(-(std::int64_t{257} << 54) + 1).bits == bfloat16(-256 * 0x1p54).bits);
  CHECK(bfloat16(std::uint64_t{0} - 1).bits == bfloat16(0x1p64).bits);
  CHECK(bfloat16(257.0L + 0x1p-50L).bits == bfloat16(258).bits);
  auto const keep = parse_predicate<float16>("== 2049.00001");
  CHECK(keep(float16(2050)));
  CHECK_FALSE(keep(float16(2048)));
}

TEST_CASE("an interval of 16-bit floats tests them as numbers") {
  in_interval<float16> const test{float16(-1), float16(0.0F)};
  CHECK(test(float16(-0.5F)));
  CHECK(test(float16(-0.0F)));
  CHECK_FALSE(test(float16(0.25F)));
  CHECK_FALSE(test(float16(std::nanf(""))));
}

template <class T, class Number>
void check_runs(std::vector<T> const& items, std::vector<Number> const& numbers) {
  auto const n = static_cast<index_t>(items.size());
  expected_runs<Number> const all(numbers);
  for (index_t const least : {1, 2}) {
    auto const expected = all.of_at_least(least);
    auto const firsts = at_places(items, expected.offsets);
    auto const runs = expected.offsets.size();
    std::span<T const> const in = items;
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << n << " items, runs of " << least);
      std::vector<T> out(runs);
      std::vector<index_t> lengths(runs), offsets(runs);
      CHECK(run_length_encode(on, in, out, lengths, offsets, least) == expected.count());
      CHECK(same_bits(out, firsts));
      CHECK(lengths == expected.lengths);
      CHECK(offsets == expected.offsets);
      if (least > 1) continue;
      CHECK(unique(on, in, out) == expected.count());
      CHECK(same_bits(out, firsts));
      CHECK(run_length_encode(on, in, out, lengths) == expected.count());
      CHECK(lengths == expected.lengths);
    }
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items in device memory, runs of " << least);
      device_memory<T> const there(on, items), out(on, n);
      device_memory<index_t> const lengths(on, n), offsets(on, n), count(on, 1);
      auto const bytes = device_run_workspace_bytes<T>(on, n, least);
      device_memory<std::byte> const memory(on, static_cast<index_t>(bytes));
      device_queue const queue{.on = on, .workspace = memory.data(), .workspace_bytes = bytes};
      run_length_encode(queue, device_span{there.data(), n}, out.data(), lengths.data(),
                        offsets.data(), count.data(), least);
      REQUIRE(count.copy()[0] == expected.count());
      CHECK(same_bits(front(out, expected.count()), firsts));
      CHECK(front(lengths, expected.count()) == expected.lengths);
      if (least > 1) continue;
      unique(queue, device_span{there.data(), n}, out.data(), count.data());
      REQUIRE(count.copy()[0] == expected.count());
      CHECK(same_bits(front(out, expected.count()), firsts));
    }
  }
}

TEMPLATE_TEST_CASE("runs of 16-bit floats: 0 equals -0, and NaN equals nothing", "", float16,
                   bfloat16) {
  for (index_t const n : sized_list<index_t>({0, 1, 700, 5000}, {0, 1, 1500})) {
    auto const items = some_halves<TestType>(n);
    check_runs(items, as_floats(items));
  }
}

TEST_CASE("runs of bools") {
  for (index_t const n : sized_list<index_t>({0, 1, 700, 5000}, {0, 1, 1500})) {
    auto const numbers = runs_of<std::uint8_t>(n, 3);
    buffer<bool> items(n);
    std::vector<std::uint8_t> bits;
    for (index_t i = 0; i < n; ++i) {
      items[static_cast<std::size_t>(i)] = numbers[static_cast<std::size_t>(i)] % 3 == 0;
      bits.push_back(numbers[static_cast<std::size_t>(i)] % 3 == 0 ? 1 : 0);
    }
    expected_runs<std::uint8_t> const expected(bits);
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << n << " items");
      buffer<bool> out(expected.count());
      std::vector<index_t> lengths(expected.firsts.size());
      CHECK(unique(on, items, out) == expected.count());
      CHECK(run_length_encode(on, items, out, lengths) == expected.count());
      CHECK(std::equal(out.begin(), out.end(), expected.firsts.begin(), expected.firsts.end()));
      CHECK(lengths == expected.lengths);
    }
    for (engine const& on : machines()) {
      device_memory<std::uint8_t> const there(on, bits), out(on, n);
      device_memory<index_t> const count(on, 1);
      unique(device_queue{on}, device_span{reinterpret_cast<bool const*>(there.data()), n},
             reinterpret_cast<bool*>(out.data()), count.data());
      REQUIRE(count.copy()[0] == expected.count());
      CHECK(front(out, expected.count()) == expected.firsts);
    }
  }
}

TEMPLATE_TEST_CASE("segments by keys of 16-bit floats: 0 equals -0, and NaN equals nothing", "",
                   float16, bfloat16) {
  for (index_t const n : sized_list<index_t>({1, 700, 5000}, {1, 1500})) {
    auto const keys = some_halves<TestType>(n);
    expected_runs<float> const expected(as_floats(keys));
    std::vector<index_t> const ones(keys.size(), 1);
    std::span<TestType const> const all = keys;
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << n << " keys");
      std::vector<TestType> firsts(expected.lengths.size());
      std::vector<index_t> totals(expected.lengths.size());
      CHECK(reduce_by_key(on, all, ones, firsts, totals) == expected.count());
      CHECK(totals == expected.lengths);
      CHECK(same_bits(firsts, at_places(keys, expected.offsets)));
    }
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " keys in device memory");
      device_memory<TestType> const there(on, keys), firsts(on, n);
      device_memory<index_t> const items(on, ones), totals(on, n), count(on, 1);
      reduce_by_key(device_queue{on}, there.data(), device_span{items.data(), n}, firsts.data(),
                    totals.data(), plus<index_t>{}, count.data());
      REQUIRE(count.copy()[0] == expected.count());
      CHECK(front(totals, expected.count()) == expected.lengths);
      CHECK(same_bits(front(firsts, expected.count()), at_places(keys, expected.offsets)));
    }
  }
}

TEST_CASE("bools are sorted and counted") {
  for (index_t const n : sized_list<index_t>({0, 1, 700, 70000}, {0, 1, 700, 9000})) {
    random_words words(static_cast<std::uint64_t>(n));
    buffer<bool> keys(n);
    std::vector<index_t> order;
    for (bool& key : keys) key = words.below(3) == 0;
    for (bool const first : {false, true}) {
      for (index_t i = 0; i < n; ++i) {
        if (keys[static_cast<std::size_t>(i)] == first) order.push_back(i);
      }
    }
    auto const trues = static_cast<std::uint64_t>(std::count(keys.begin(), keys.end(), true));
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << n << " keys");
      buffer<bool> sorted(n);
      sort_keys(on, keys, sorted);
      CHECK(std::is_sorted(sorted.begin(), sorted.end()));
      CHECK(static_cast<std::uint64_t>(std::count(sorted.begin(), sorted.end(), true)) == trues);
      std::vector<index_t> positions(order.size());
      argsort(on, keys, positions);
      CHECK(positions == order);
      std::vector<std::uint64_t> counts(2);
      histogram(on, keys, counts, integer_bins<std::uint8_t>(0, 2));
      CHECK(counts[1] == trues);
      CHECK(counts[0] + counts[1] == order.size());
    }
    std::vector<std::uint8_t> const bits(keys.begin(), keys.end());
    for (engine const& on : machines()) {
      device_memory<std::uint8_t> const there(on, bits);
      device_memory<index_t> const positions(on, n);
      argsort(device_queue{on}, device_span{reinterpret_cast<bool const*>(there.data()), n},
              positions.data());
      CHECK(positions.copy() == order);
    }
  }
}

/// Later minus earlier, item by item.
template <class T, class Minus>
std::vector<T> differences(std::vector<T> const& items, Minus minus) {
  std::vector<T> result = items;
  for (std::size_t i = 1; i < items.size(); ++i) result[i] = minus(items[i], items[i - 1]);
  return result;
}

template <class T, class Minus, class Bytes>
void check_differences(std::vector<T> const& items, Minus minus, Bytes bytes) {
  auto const n = static_cast<index_t>(items.size());
  auto const expected = differences(items, minus);
  for (engine const& on : engines()) {
    INFO(on.description() << ", " << n << " items");
    std::vector<T> out(items.size());
    adjacent_difference(on, items, out);
    CHECK(same_bits(out, expected));
    out = items;
    adjacent_difference(on, out, out);
    CHECK(same_bits(out, expected));
    if (n < 2) continue;
    std::span<T> const all = out;
    CHECK_THROWS_AS(adjacent_difference(on, all.first(all.size() - 1), all.subspan(1)),
                    invalid_argument);
    CHECK_THROWS_AS(adjacent_difference(on, all, all.subspan(1)), invalid_argument);
  }
  for (engine const& on : machines()) {
    INFO(on.description() << ", " << n << " items in device memory");
    queue_with const with(on, bytes(on, n));
    device_memory<T> const in(on, items), out(on, n);
    adjacent_difference(with.queue, device_span{in.data(), n}, out.data());
    CHECK(same_bits(out.copy(), expected));
    adjacent_difference(with.queue, device_span{in.data(), n}, in.data());
    CHECK(same_bits(in.copy(), expected));
    if (n < 2) continue;
    CHECK_THROWS_AS(adjacent_difference(with.queue, device_span{in.data(), n - 1}, in.data() + 1),
                    invalid_argument);
  }
}

TEMPLATE_TEST_CASE("differences of 16-bit floats are those of floats, rounded", "", float16,
                   bfloat16) {
  for (index_t const n : sized_list<index_t>({0, 1, 700, 5000}, {0, 1, 1500})) {
    std::vector<TestType> items;
    for (index_t i = 0; i < n; ++i) items.push_back(TestType(static_cast<float>(i * i % 97) / 7));
    check_differences(
        items,
        [](TestType later, TestType earlier) {
          return TestType(static_cast<float>(later) - static_cast<float>(earlier));
        },
        [](engine const& on, index_t n) {
          return device_workspace_bytes<TestType, float, TestType>(on, n);
        });
  }
}

TEMPLATE_TEST_CASE("differences of complex numbers", "", std::complex<float>,
                   std::complex<double>) {
  for (index_t const n : sized_list<index_t>({0, 1, 700, 5000}, {0, 1, 1500})) {
    std::vector<TestType> items;
    for (index_t i = 0; i < n; ++i) {
      items.emplace_back(static_cast<float>(i * i % 97) / 7, static_cast<float>(i % 11) * 0.1F);
    }
    check_differences(
        items, [](TestType later, TestType earlier) { return later - earlier; },
        [](engine const& on, index_t n) { return device_workspace_bytes<TestType>(on, n); });
  }
}

TEST_CASE("the C calls take 16-bit floats in differences, filters and runs, and complex ones") {
  std::vector<float16> const halves{float16(1), float16(1), float16(3.5F), float16(-2)};
  std::vector<std::complex<float>> const numbers{{1, 2}, {3, -4}};
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<float16> const in(on, halves), out(on, 4);
    device_memory<index_t> const count(on, 1), lengths(on, 4);
    libscan_items const items{LIBSCAN_F16, in.data(), 4, nullptr};
    REQUIRE(libscan_adjacent_difference(&queue, items, out.data()) == LIBSCAN_OK);
    CHECK(as_floats(out.copy()) == std::vector<float>{1, 0, 2.5F, -5.5F});
    libscan_rule const rule{"> 0", nullptr, nullptr};
    REQUIRE(libscan_filter(&queue, items, &rule, out.data(), nullptr, nullptr, count.data()) ==
            LIBSCAN_OK);
    CHECK(as_floats(front(out, count.copy()[0])) == std::vector<float>{1, 1, 3.5F});
    REQUIRE(libscan_unique(&queue, items, out.data(), lengths.data(), count.data()) == LIBSCAN_OK);
    CHECK(as_floats(front(out, count.copy()[0])) == std::vector<float>{1, 3.5F, -2});
    CHECK(libscan_combine_neighbors(&queue, items, out.data(), LIBSCAN_PLUS) ==
          LIBSCAN_INVALID_ARGUMENT);
    device_memory<std::complex<float>> const pairs(on, numbers), apart(on, 2);
    libscan_items const complex{LIBSCAN_C64, pairs.data(), 2, nullptr};
    REQUIRE(libscan_adjacent_difference(&queue, complex, apart.data()) == LIBSCAN_OK);
    CHECK(apart.copy() == std::vector<std::complex<float>>{{1, 2}, {2, -6}});
  }
}

}  // namespace
}  // namespace libscan::test
