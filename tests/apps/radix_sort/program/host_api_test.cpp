// SPDX-License-Identifier: Apache-2.0
// The host API of the radix sort: containers, spans, options, in-place calls, and what is
// refused; and --verify's comparisons of scan-sort.
#include <span>
#include <vector>

#include <libscan/radix_sort.hpp>
#include <tests/apps/radix_sort/program/sort_oracle.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

TEMPLATE_LIST_TEST_CASE("the host API sorts what its engine sorts", "", number_keys) {
  auto const keys = make_keys<TestType>(pattern::random, 5000);
  for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
    bool const down = direction == sort_direction::descending;
    sort_options const options{direction, 0, -1};
    auto const expected = sorted_positions(keys, down, comes_before<TestType>);
    engine const on = engine::cpu(2);

    guarded_buffer<TestType> out(6000);
    sort_keys(on, keys, out.items(), options);
    auto const sorted = out.copy();
    CHECK(bit_difference(items_at(keys, expected), {sorted.begin(), sorted.begin() + 5000}) == "");
    CHECK(out.written_from(5000) + out.damage() == "");

    auto both = keys;
    sort_keys(on, both, both, options);
    CHECK(bit_difference(items_at(keys, expected), both) == "");

    std::vector<index_t> positions(keys.size());
    argsort(on, keys, positions, options);
    CHECK(difference(expected, positions) == "");

    both = keys;
    std::vector<name> names(keys.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i] = {{static_cast<char>(i), static_cast<char>(i >> 8), 'x'}};
    }
    auto const expected_names = items_at(names, expected);
    sort_pairs(on, both, both, names, names, options);
    CHECK(bit_difference(items_at(keys, expected), both) == "");
    CHECK(bit_difference(expected_names, names) == "");
  }
}

TEST_CASE("nothing is sorted, too") {
  std::vector<int> none;
  std::vector<index_t> nowhere;
  sort_keys(engine::cpu(), none, none);
  sort_pairs(engine::cpu(), none, none, none, none);
  argsort(engine::cpu(), none, nowhere);
  CHECK(none.empty());
}

TEST_CASE("outputs that are too short or overlap are refused") {
  engine const on = engine::cpu(1);
  std::vector<int> items(100, 1);
  std::vector<int> other(99);
  std::span<int> const all(items);
  CHECK_THROWS_WITH(sort_keys(on, items, other), "sort_keys: 100 keys, but out holds only 99");
  CHECK_THROWS_AS(sort_keys(on, all.first(90), all.subspan(1)), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(on, items, items, items, items), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(on, all.first(50), all.subspan(50), all.subspan(50), other),
                  invalid_argument);
  CHECK_THROWS_AS(sort_pairs(on, items, items, other, items), invalid_argument);
  std::vector<index_t> numbers(10, 1);
  CHECK_THROWS_AS(argsort(on, numbers, numbers), invalid_argument);
  CHECK_THROWS_AS(argsort(on, items, numbers), invalid_argument);
  CHECK_THROWS_AS(sort_keys(on, items, items, {sort_direction::ascending, 0, 33}),
                  invalid_argument);
  sort_keys(on, all.first(50), all.subspan(50));
}
