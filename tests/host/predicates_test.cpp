// SPDX-License-Identifier: Apache-2.0
// The host API's filters by predicates of the user's, against the standard library.
#include <libscan/filter_callables.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include <libscan/filter.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/selection.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

struct point {
  float x, y;
  bool operator==(point const&) const = default;
};

std::vector<point> points(std::size_t n) {
  std::vector<point> result;
  for (std::size_t i = 0; i < n; ++i) {
    result.push_back({static_cast<float>(i * 37 % 101), static_cast<float>(i / 3)});
  }
  return result;
}

TEST_CASE("filters, counts, splits and unique by a lambda over any items") {
  auto const low = [](point p) { return p.x < 40; };
  for (std::size_t const n : {0U, 1U, 100U, 50000U}) {
    auto const in = points(n);
    std::vector<point> kept, rejected;
    std::vector<index_t> places;
    for (std::size_t i = 0; i < n; ++i) {
      (low(in[i]) ? kept : rejected).push_back(in[i]);
      if (low(in[i])) places.push_back(static_cast<index_t>(i));
    }
    auto const count = static_cast<index_t>(kept.size());
    for (int const threads : {1, 3}) {
      engine const on = engine::cpu(threads);
      std::vector<point> out(n), rest(rejected.size());
      CHECK(count_if(on, in, low) == count);
      CHECK(filter(on, in, out, low) == count);
      auto const owned = filter(on, in, low);
      CHECK(std::equal(owned.begin(), owned.end(), out.begin(), out.begin() + count));
      CHECK(std::equal(kept.begin(), kept.end(), out.begin()));
      std::vector<std::int32_t> at(kept.size());
      CHECK(filter_indices(on, in, at, low) == count);
      CHECK(std::equal(places.begin(), places.end(), at.begin()));
      std::vector<index_t> where(kept.size());
      CHECK(filter_with_indices(on, in, out, where, low) == count);
      CHECK(std::equal(kept.begin(), kept.end(), out.begin()));
      CHECK(where == places);
      CHECK(split(on, in, out, rest, low) == count);
      CHECK(rest == rejected);
      auto in_place = in;
      filter(on, in_place, in_place, low);
      CHECK(std::equal(kept.begin(), kept.end(), in_place.begin()));
      auto const same_row = [](point a, point b) { return a.y == b.y; };
      std::vector<point> firsts;
      std::unique_copy(in.begin(), in.end(), std::back_inserter(firsts), same_row);
      CHECK(unique(on, in, out, same_row) == static_cast<index_t>(firsts.size()));
      CHECK(std::equal(firsts.begin(), firsts.end(), out.begin()));
      std::vector<std::int32_t> lengths(firsts.size());
      CHECK(run_length_encode(on, in, out, lengths, same_row) ==
            static_cast<index_t>(firsts.size()));
      CHECK(std::equal(firsts.begin(), firsts.end(), out.begin()));
      std::vector<point> decoded;
      for (std::size_t r = 0; r < firsts.size(); ++r) {
        decoded.insert(decoded.end(), static_cast<std::size_t>(lengths[r]), firsts[r]);
      }
      CHECK(std::equal(in.begin(), in.end(), decoded.begin(), decoded.end(), same_row));
    }
  }
}

TEST_CASE("the library's predicates keep their calls, on every engine") {
  std::vector<int> const in{1, 5, 2, 7};
  for (engine const& on : engines()) {
    std::vector<int> out(4);
    CHECK(filter(on, in, out, parse_predicate<int>("> 2")) == 2);
    if (on.runs_kernels()) {
      CHECK_THROWS_WITH(filter(on, in, out, [](int x) { return x > 2; }),
                        Contains("run on the cpu engine only"));
    }
  }
}

TEST_CASE("long runs of items that are equal by your own word") {
  // Runs of neighbors that differ by less than 2: {1, 2, 3}, {7}, {9}, {20, 19}.
  std::vector<double> const in{1, 2, 3, 7, 9, 20, 19};
  auto const near = [](double a, double b) { return std::abs(a - b) < 2; };
  for (int const threads : {1, 2}) {
    engine const on = engine::cpu(threads);
    std::vector<double> out(4);
    std::vector<std::int32_t> lengths(4);
    std::vector<index_t> offsets(4);
    REQUIRE(run_length_encode(on, in, out, lengths, offsets, 1, near) == 4);
    CHECK(out == std::vector<double>{1, 7, 9, 20});
    CHECK(lengths == std::vector<std::int32_t>{3, 1, 1, 2});
    CHECK(offsets == std::vector<index_t>{0, 3, 4, 5});
    REQUIRE(run_length_encode(on, in, out, lengths, offsets, 2, near) == 2);
    CHECK(out == std::vector<double>{1, 20, 9, 20});
    CHECK(lengths == std::vector<std::int32_t>{3, 2, 1, 2});
    CHECK(offsets == std::vector<index_t>{0, 5, 4, 5});
    CHECK(run_length_encode(on, in, out, lengths, offsets, 4, near) == 0);
    CHECK(run_length_encode(on, std::vector<double>(), out, lengths, offsets, 1, near) == 0);
    CHECK_THROWS_WITH(run_length_encode(on, in, out, lengths, offsets, 0, near),
                      Contains("min_length is 0"));
    std::vector<index_t> one(1);
    CHECK_THROWS_WITH(run_length_encode(on, in, out, lengths, one, 2, near),
                      Contains("offsets holds only 1"));
    CHECK_THROWS_WITH(run_length_encode(on, in, out, offsets, offsets, 2, near),
                      Contains("an output overlaps an output"));
    CHECK_THROWS_AS(run_length_encode(on, offsets, offsets, lengths, one, 2, std::equal_to{}),
                    invalid_argument);
  }
}

TEST_CASE("outputs that are too short, or overlap, are refused") {
  std::vector<int> in{1, 2, 3, 4};
  std::vector<int> out(1);
  engine const on = engine::cpu(1);
  auto const all = [](int) { return true; };
  CHECK_THROWS_WITH(filter(on, in, out, all), Contains("out holds only 1"));
  std::vector<int> enough(4);
  CHECK_THROWS_WITH(filter_with_indices(on, in, enough, out, all),
                    Contains("indices holds only 1"));
  CHECK_THROWS_WITH(filter_with_indices(on, in, out, enough, all), Contains("out holds only 1"));
  CHECK_THROWS_AS(filter_with_indices(on, in, enough, enough, all), invalid_argument);
  CHECK_THROWS_WITH(run_length_encode(on, in, enough, out, std::equal_to{}),
                    Contains("lengths holds only 1"));
  CHECK_THROWS_AS(run_length_encode(on, in, in, enough, std::equal_to{}), invalid_argument);
  std::span<int> const items(in);
  CHECK_THROWS_AS(filter(on, items.first(3), items.subspan(1), all), invalid_argument);
  CHECK(in == std::vector<int>{1, 2, 3, 4});
}

}  // namespace
}  // namespace libscan::test
