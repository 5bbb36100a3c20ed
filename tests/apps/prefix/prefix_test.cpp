// SPDX-License-Identifier: Apache-2.0
// The parts of scan-prefix: the head flags that devices get, the CPU's scans of every accumulator,
// and what --verify admits.
#include <algorithm>
#include <limits>
#include <numeric>

#include <apps/prefix/prefix_scan.hpp>
#include <apps/prefix/verify.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/on_engine.hpp>
#include <tests/apps/prefix/calls.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

using namespace libscan::apps;
using form = segmentation::form;

constexpr index_t any_depth = std::numeric_limits<index_t>::max();

TEST_CASE("head flags are packed in the order of the scan, whatever form they come in") {
  for (index_t const n : {0, 1, 31, 32, 33, 1000, 32768, 40001}) {
    owned_call<std::int64_t, std::int8_t> owned(std::vector<std::int8_t>(n), 0);
    auto const& flags = owned.segments.flags;
    each_manner([&](scan_kind kind, scan_direction direction, form how) {
      if (how == form::none) return;
      auto const call = owned.call(operator_kind::plus, kind, direction, how);
      auto const words = libscan::detail::packed_heads(2, call.segments, direction, n);
      std::vector<bool> expected;
      for (index_t p = 0; p < n; ++p) {
        bool const forward = direction == scan_direction::forward;
        expected.push_back(p == 0 || flags[static_cast<std::size_t>(forward ? p : n - p)] != 0);
      }
      std::vector<bool> got;
      for (std::size_t p = 0; p < expected.size(); ++p) {
        got.push_back((words[p / 32] >> (p % 32) & 1) != 0);
      }
      INFO("n = " << n << ", form " << static_cast<int>(how));
      CHECK(got == expected);
      CHECK(words.size() == static_cast<std::size_t>((n + 31) / 32));
      if (n % 32 != 0) CHECK(words.back() >> (n % 32) == 0);
    });
  }
}

template <class T, class Item>
void check_cpu(pattern p) {
  owned_call<T, Item> owned(make_input<Item>(p, sized(3001, 1001)), T(3));
  each_manner([&](scan_kind kind, scan_direction direction, form how) {
    for (operator_kind const op : all_operators) {
      if (is_bitwise(op) && !std::is_integral_v<T>) continue;
      auto const call = owned.call(op, kind, direction, how);
      prefix_scan(engine::cpu(2), call);
      CHECK(verify_prefix(call, deepest_sum(call.n)).difference == "");
    }
  });
}

TEMPLATE_TEST_CASE("the CPU engine accumulates every type in every other", "", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
  check_cpu<TestType, TestType>(pattern::random);
  check_cpu<std::int64_t, TestType>(pattern::random);
  check_cpu<std::uint64_t, TestType>(pattern::random);
  check_cpu<float, TestType>(pattern::random);
  check_cpu<double, TestType>(pattern::random);
}

TEST_CASE("the CPU engine accumulates floats") {
  for (auto const p : {pattern::random, pattern::special}) {
    check_cpu<float, float>(p);
    check_cpu<double, float>(p);
    check_cpu<float, double>(p);
    check_cpu<double, double>(p);
  }
  check_cpu<std::int64_t, float>(pattern::small);
  check_cpu<std::int64_t, double>(pattern::small);
}

// Of so many items every thread has some; sums of floats have the same bits.
TEMPLATE_TEST_CASE("any number of threads gives the same", "", std::int32_t, float) {
  owned_call<TestType, TestType> owned(
      make_input<TestType>(pattern::random, sized(1000003, 200003)), TestType(3));
  std::size_t manners = 0;
  each_manner([&](scan_kind kind, scan_direction direction, form how) {
    auto const call = owned.call(operator_kind::plus, kind, direction, how);
    INFO("form " << static_cast<int>(how));
    std::vector<TestType> expected;
    int const turn = thread_counts[1 + manners++ % 3];
    for (int const threads : thread_counts) {
      if (quick_types && threads != 1 && threads != turn) continue;
      INFO(threads << " threads");
      std::fill(owned.out.begin(), owned.out.end(), TestType(77));
      with_threads(threads, [&] { prefix_scan(engine::cpu(threads), call); });
      if (threads == 1) {
        expected = owned.out;
        CHECK(verify_prefix(call, deepest_sum(call.n)).difference == "");
      }
      CHECK(bit_difference(expected, owned.out) == "");
    }
  });
}

TEMPLATE_TEST_CASE("--verify finds any one wrong item, and the first of several", "", std::int8_t,
                   std::uint32_t, std::int64_t, float, double) {
  owned_call<TestType, TestType> owned(make_input<TestType>(pattern::small, 100), TestType(1));
  each_manner([&](scan_kind kind, scan_direction direction, form how) {
    auto const call = owned.call(operator_kind::plus, kind, direction, how);
    prefix_scan(engine::cpu(1), call);
    for (std::size_t i = 0; i < 100; ++i) {
      TestType const right = owned.out[i];
      owned.out[i] = static_cast<TestType>(right + 1);
      CHECK(verify_prefix(call, any_depth).difference.find("item " + std::to_string(i) + " is ") ==
            0);
      owned.out[i] = right;
    }
    owned.out[20] = static_cast<TestType>(owned.out[20] + 1);
    owned.out[80] = static_cast<TestType>(owned.out[80] + 1);
    CHECK(verify_prefix(call, any_depth).difference.find("item 20 is ") == 0);
  });
}

TEST_CASE("--verify names both values as they are") {
  owned_call<std::uint64_t, std::uint64_t> owned({~std::uint64_t{0}, 1, 7}, 0);
  auto const call =
      owned.call(operator_kind::plus, scan_kind::inclusive, scan_direction::forward, form::none);
  owned.out = {~std::uint64_t{0}, 0, 8};
  CHECK(verify_prefix(call, any_depth).difference == "item 2 is 8, expected 7");
  owned.out = {~std::uint64_t{0} - 1, 0, 7};
  CHECK(verify_prefix(call, any_depth).difference ==
        "item 0 is 18446744073709551614, expected 18446744073709551615");
}

/// What --verify says of an inclusive float sum.
verdict verdict_of(std::vector<float> items, std::vector<float> out, index_t deepest) {
  owned_call<float, float> owned(std::move(items), -0.0F);
  owned.out = std::move(out);
  return verify_prefix(
      owned.call(operator_kind::plus, scan_kind::inclusive, scan_direction::forward, form::none),
      deepest);
}

TEST_CASE("--verify admits the rounding of a float sum and no more") {
  std::size_t const n = 4096;
  auto const items = make_input<float>(pattern::random, n);
  std::vector<float> sums(n);
  std::partial_sum(items.begin(), items.end(), sums.begin());
  auto const found = verdict_of(items, sums, any_depth);
  CHECK(found.difference == "");
  CHECK(!found.exact);
  CHECK(found.unknown == 0);
  // The bound of the last: 4096 additions of numbers below 1, each rounded by 2^-24 of their sum.
  sums.back() += 1.5F;
  CHECK(verdict_of(items, sums, any_depth).difference != "");
  sums.back() -= 1.49F;
  CHECK(verdict_of(items, sums, 10).difference != "");
}

TEST_CASE("--verify knows what infinities and NaN must make, and what overflow leaves unknown") {
  float const inf = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const max = std::numeric_limits<float>::max();
  CHECK(verdict_of({1, inf, 2}, {1, inf, inf}, any_depth).difference == "");
  CHECK(verdict_of({1, inf, 2}, {1, inf, 2}, any_depth).difference == "item 2 is 2, expected inf");
  CHECK(verdict_of({inf, -inf, 2}, {inf, nan, nan}, any_depth).difference == "");
  CHECK(verdict_of({inf, -inf, 2}, {inf, nan, 2}, any_depth).difference != "");
  CHECK(verdict_of({nan, 1}, {nan, 1}, any_depth).difference == "item 1 is 1, expected nan");
  CHECK(verdict_of({max, max, -max}, {max, inf, inf}, any_depth).unknown == 3);
}

TEST_CASE("--verify tells zeros apart in minima, not NaNs") {
  owned_call<double, double> owned({0.0, -0.0}, 5.0);
  auto const call =
      owned.call(operator_kind::minimum, scan_kind::inclusive, scan_direction::forward, form::none);
  owned.out = {0.0, 0.0};  // the earlier of equals
  CHECK(verify_prefix(call, any_depth).difference == "");
  owned.out = {0.0, -0.0};
  CHECK(verify_prefix(call, any_depth).difference == "item 1 is -0, expected 0");
}

// As a GPU scans files that do not fit in its memory.
TEST_CASE("pieces of a scan without segments go on from the carry, on every engine") {
  owned_call<std::int64_t, std::int32_t> owned(make_input<std::int32_t>(pattern::random, 1000), 5);
  std::vector<engine> engines{engine::cpu(2)};
  if (libscan::detail::has_executor) engines.push_back(engine::executor());
  for (engine const& on : engines) {
    for (auto const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
      for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
        auto const whole = owned.call(operator_kind::plus, kind, direction, form::none);
        std::int64_t carry = owned.init;
        for (index_t done = 0, n = 0; done < 1000; done += n) {
          n = std::min<index_t>(300, 1000 - done);
          index_t const first = direction == scan_direction::forward ? done : 1000 - done - n;
          auto piece = whole;
          piece.in = owned.in.data() + first;
          piece.out = owned.out.data() + first;
          piece.n = n;
          piece.carry = &carry;
          prefix_scan(on, piece);
        }
        INFO("on " << on.description());
        CHECK(verify_prefix(whole, deepest_sum(whole.n)).difference == "");
        CHECK(carry == std::accumulate(owned.in.begin(), owned.in.end(), owned.init));
      }
    }
  }
}

#ifdef LIBSCAN_WITH_EXECUTOR
TEST_CASE("the executor refuses what would take it hours") {
  owned_call<std::int8_t, std::int8_t> owned(std::vector<std::int8_t>(executor_limit + 1), 0);
  auto const call =
      owned.call(operator_kind::plus, scan_kind::inclusive, scan_direction::forward, form::none);
  CHECK_THROWS_AS(prefix_scan_by(engine::cpu(1), {scan_strategy::sequential}, call),
                  invalid_argument);
}
#endif

}  // namespace
}  // namespace libscan::test
