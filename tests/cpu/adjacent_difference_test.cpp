// SPDX-License-Identifier: Apache-2.0
// The CPU's adjacent differences against a loop: sizes, types, operators, threads, in place, items
// that are no numbers, and what is refused.
#include <libscan/cpu/adjacent_difference.hpp>

#include <deque>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/cpu/scan.hpp>
#include <libscan/reference/operators.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

/// What is wrong with the differences of n items; "" if nothing.
template <class Result, class Item, class Op>
std::string faults(int threads, std::vector<Item> const& items, Op const& op, index_t chunk_items) {
  auto const n = static_cast<index_t>(items.size());
  auto const expected = reference::adjacent_difference<Result>(items, op);
  guarded_buffer<Result> out(n, 1);
  cpu::adjacent_difference(threads, items.data(), out.data(), n, op, chunk_items);
  std::string found = difference(expected, out.copy()) + out.damage();
  if constexpr (std::is_same_v<Item, Result>) {
    auto in_place = items;
    cpu::adjacent_difference(threads, in_place.data(), in_place.data(), n, op, chunk_items);
    found += difference(expected, in_place);
  }
  std::deque<Item> const scattered(items.begin(), items.end());
  std::vector<Result> from_scattered(items.size());
  cpu::adjacent_difference(threads, scattered.begin(), from_scattered.begin(), n, op, chunk_items);
  found += difference(expected, from_scattered);
  return found.empty() ? ""
                       : std::to_string(threads) + " threads, n = " + std::to_string(n) + found;
}

/// In words, so that the library's own operator is not its oracle.
template <class Item>
constexpr auto subtract = [](Item earlier, Item later) {
  return reference::adjacent_difference(std::vector<Item>{earlier, later})[1];
};

using item_types =
    types_to_test<std::tuple<std::int32_t, double>, std::tuple<std::uint8_t, std::int64_t, float>,
                  std::tuple<std::int16_t, std::uint32_t, std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("differences agree with a loop, also in place", "", item_types) {
  auto const run = [](int threads, index_t n, index_t chunk_items) {
    CHECK(faults<TestType>(threads, make_items<TestType>(n), subtract<TestType>, chunk_items) ==
          "");
  };
  for (index_t const n : tiny_sizes()) {
    for (index_t const chunk_items : {1, 3, 32}) run(1 + static_cast<int>(n % 2), n, chunk_items);
  }
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      for (index_t const n : size_ladder(256, 64, 20000)) run(threads, n, 256);
    }
  });
  run(2, 200003, cpu::default_chunk_items);
}

TEST_CASE("the default is later - earlier; integers wrap, 16-bit floats are subtracted as float") {
  std::vector<std::int32_t> const limits{INT32_MIN, INT32_MAX, INT32_MIN, 0};
  std::vector<std::int32_t> out(4);
  cpu::adjacent_difference(1, limits.data(), out.data(), 4);
  CHECK(out == std::vector<std::int32_t>{INT32_MIN, -1, 1, INT32_MIN});
  std::vector<float16> const halves{float16(1.5F), float16(65504.0F), float16(-65504.0F)};
  std::vector<float> floats(3);
  cpu::adjacent_difference(1, halves.data(), floats.data(), 3);
  CHECK(floats == std::vector<float>{1.5F, 65502.5F, -131008.0F});
  std::vector<float> const special{-0.0F, -0.0F, 1.0F, -0.0F};
  cpu::adjacent_difference(1, special.data(), floats.data(), 3);
  CHECK(difference({-0.0F, 0.0F, 1.0F}, floats) == "");
}

TEST_CASE("a sum undoes differences, past the size from which results bypass the caches") {
  auto const items = make_items<std::uint64_t>((index_t{1} << 22) + 1000);
  auto const n = static_cast<index_t>(items.size());
  std::vector<std::uint64_t> changed(items.size());
  cpu::adjacent_difference(2, items.data(), changed.data(), n);
  CHECK(difference(reference::adjacent_difference(items), changed) == "");
  cpu::inclusive_scan(2, changed.data(), changed.data(), n, plus<std::uint64_t>{});
  CHECK(changed == items);
}

TEST_CASE("items of any kind, and results of another type") {
  std::vector<std::string> const words{"a", "b", "c", "d"};
  std::vector<std::string> pairs(4);
  auto const join = [](std::string const& a, std::string const& b) { return a + b; };
  cpu::adjacent_difference(3, words.begin(), pairs.begin(), 4, join, 1);
  CHECK(pairs == std::vector<std::string>{"a", "ab", "bc", "cd"});
  auto const wide = [](std::uint8_t a, std::uint8_t b) { return std::int64_t{b} - a; };
  for (index_t const n : {0, 1, 1023, 1025, 1026, 5000}) {
    CHECK(faults<std::int64_t>(2, make_items<std::uint8_t>(n), wide, 2000) == "");
    CHECK(faults<affine>(2, make_items<affine>(n), compose{}, 100) == "");
  }
}

TEST_CASE("wrong arguments are refused, and exceptions of the operator arrive") {
  std::vector<int> items(5000, 1);
  int* const in = items.data();
  CHECK_THROWS_AS(cpu::adjacent_difference(0, in, in, 4), invalid_argument);
  CHECK_THROWS_AS(cpu::adjacent_difference(1, in, in, -1), invalid_argument);
  CHECK_THROWS_WITH(cpu::adjacent_difference(1, in, in + 1, 4),
                    Catch::Contains("adjacent_difference: the output overlaps the input"));
  auto const fails = [](int, int) -> int { throw std::runtime_error("from the operator"); };
  CHECK_THROWS_WITH(cpu::adjacent_difference(2, in, in, 5000, fails, 100), "from the operator");
}

}  // namespace
}  // namespace libscan::test
