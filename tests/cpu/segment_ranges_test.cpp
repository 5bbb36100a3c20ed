// SPDX-License-Identifier: Apache-2.0
// The cpu engine's scans and totals of segments with items between them, in any order, and between
// offsets that leave items out; against loops.
#include <cstdint>
#include <vector>

#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/ranges.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class Op>
void require_ranges(some_ranges const& ranges, int n, Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  INFO(ranges.count() << " ranges of " << n << " items");
  auto const items = make_items<T>(n), before = make_items<T>(n, 1);
  segment_ranges const segments{ranges.begins.data(), ranges.ends.data(), ranges.count()};
  for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
    auto out = before, in = items;
    cpu::segmented_scan<scan_kind::inclusive>(3, direction, items.begin(), out.begin(), segments, n,
                                              op, init);
    CHECK(out == scanned_ranges(scan_kind::inclusive, direction, items, before, ranges, op, init));
    cpu::segmented_scan<scan_kind::exclusive>(3, direction, in.data(), in.data(), segments, n, op,
                                              init);
    CHECK(in == scanned_ranges(scan_kind::exclusive, direction, items, items, ranges, op, init));
  }
  std::vector<T> totals(ranges.begins.size());
  CHECK(cpu::segmented_reduce(3, items.begin(), totals.begin(), segments, n, op, init) ==
        ranges.count());
  CHECK(totals == totals_of_ranges(items, ranges, op, init));
}

}  // namespace

TEST_CASE("cpu segments may leave items out, and come in any order") {
  for (int const most : {4, 90, 3000}) {
    auto const ranges = some_ranges::apart(5000, most);
    require_ranges(ranges, 5000, compose{}, {3, 5});
    require_ranges(ranges.shuffled(), 5000, plus<std::int32_t>{}, 7);
  }
  some_ranges long_ones;
  long_ones.add(100000, 190000);
  long_ones.add(5, 70000);
  require_ranges(long_ones, 200000, plus<std::int32_t>{}, 7);
  require_ranges({}, 100, plus<std::int32_t>{}, 7);
}

TEST_CASE("cpu offsets need not begin with 0 or end with n") {
  std::vector<std::int32_t> const offsets{3, 10, 10, 90}, none{50};
  std::vector<int> const items(100, 1);
  std::vector<int> out(100, -1), totals(3), expected(100, -1);
  some_ranges const same{{3, 10, 10}, {10, 10, 90}};
  segment_offsets const heads{offsets.data(), 3};
  cpu::inclusive_segmented_scan(2, items.begin(), out.begin(), heads, 100, plus<int>{});
  CHECK(out == scanned_ranges(scan_kind::inclusive, scan_direction::forward, items, expected, same,
                              plus<int>{}, 0));
  CHECK(cpu::segmented_reduce(2, items.begin(), totals.begin(), heads, 100, plus<int>{}) == 3);
  CHECK(totals == std::vector<int>{7, 0, 80});
  cpu::inclusive_segmented_scan(2, items.begin(), out.begin(), segment_offsets{none.data(), 0}, 100,
                                plus<int>{});
  CHECK(out[50] == 41);
}

TEST_CASE("cpu ranges beyond the items, or that end before they begin, are refused") {
  std::vector<int> const items(10, 1);
  std::vector<int> totals(1);
  for (auto const& [begin, end] : {std::pair{-1, 3}, std::pair{4, 3}, std::pair{4, 11}}) {
    segment_ranges const wrong{&begin, &end, 1};
    CHECK_THROWS_WITH(
        cpu::segmented_reduce(1, items.begin(), totals.begin(), wrong, 10, plus<int>{}),
        Catch::Contains("expected a range within [0, 10)"));
  }
}
