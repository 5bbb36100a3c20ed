// SPDX-License-Identifier: Apache-2.0
// The host API of the radix sort on the cuda engine against std::stable_sort: all types of keys,
// values of any size, either direction, some bits only, and outputs that are their inputs.
#include <vector>

#include <tests/apps/radix_sort/group_cases.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Which outputs are their inputs.
struct places {
  bool keys, values;
};

/// Sorts keys with values and compares with those at `expected` positions.
template <class Value, class Key>
void require_pairs(std::vector<Key> const& keys, std::vector<index_t> const& expected,
                   sort_options const& options) {
  auto const values = make_values<Value>(keys.size());
  auto const sorted = items_at(keys, expected);
  auto const moved = items_at(values, expected);
  for (places const same : {places{false, false}, {true, false}, {false, true}, {true, true}}) {
    INFO("values of " << sizeof(Value) << (same.keys ? ", keys" : "")
                      << (same.values ? ", values" : "") << " in place");
    auto key_items = keys;
    auto value_items = values;
    std::vector<Key> other_keys(keys.size());
    std::vector<Value> other_values(values.size());
    auto& keys_out = same.keys ? key_items : other_keys;
    auto& values_out = same.values ? value_items : other_values;
    sort_pairs(engine::cuda(), key_items, keys_out, value_items, values_out, options);
    REQUIRE(bit_difference(sorted, keys_out) == "");
    REQUIRE(bit_difference(moved, values_out) == "");
  }
}

template <class Key>
void require_sorted(index_t n, sort_direction direction) {
  bool const down = direction == sort_direction::descending;
  INFO("n " << n << (down ? ", descending" : ""));
  sort_options const options{direction, 0, -1};
  auto const keys = make_keys<Key>(pattern::random, n);
  auto const expected = sorted_positions(keys, down, comes_before<Key>);

  guarded_buffer<Key> out(n + 7);
  sort_keys(engine::cuda(), keys, out.items(), options);
  auto const sorted = out.copy();
  REQUIRE(bit_difference(items_at(keys, expected), {sorted.begin(), sorted.begin() + n}) == "");
  REQUIRE(out.written_from(n) + out.damage() == "");

  std::vector<index_t> positions(keys.size());
  argsort(engine::cuda(), keys, positions, options);
  REQUIRE(difference(expected, positions) == "");

  require_pairs<std::uint32_t>(keys, expected, options);
  require_pairs<double>(keys, expected, options);
  require_pairs<name>(keys, expected, options);
}

}  // namespace

TEMPLATE_TEST_CASE("the cuda engine sorts as the standard library does, for every type", "",
                   std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float, double, float16, bfloat16,
                   long long) {
  for (index_t const n : {0, 1, 33, 5000, 300001}) {
    for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
      require_sorted<TestType>(n, direction);
    }
  }
}

TEST_CASE("the cuda engine sorts many keys") {
  require_sorted<std::uint32_t>(5000003, sort_direction::ascending);
  require_sorted<double>(5000003, sort_direction::descending);
}

TEST_CASE("the cuda engine sorts by some bits, and refuses those that keys have not") {
  auto const keys = make_keys<std::uint32_t>(pattern::random, 100001);
  auto const expected = sorted_positions(
      keys, false, [](std::uint32_t a, std::uint32_t b) { return (a >> 5 & 63) < (b >> 5 & 63); });
  require_pairs<std::uint32_t>(keys, expected, {sort_direction::ascending, 5, 11});
  auto out = keys;
  CHECK_THROWS_AS(sort_keys(engine::cuda(), keys, out, {sort_direction::ascending, 0, 33}),
                  invalid_argument);
  CHECK(bit_difference(keys, out) == "");
}
