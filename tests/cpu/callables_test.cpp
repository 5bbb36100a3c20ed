// SPDX-License-Identifier: Apache-2.0
// The cpu engine's calls by callables that are no operators of libscan, as they come from lambdas,
// functors, pointers to functions and std; against loops.
#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <tests/support/callables.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr index_t few = 300, chunk = 128, many = 5000;

/// Every call with an init, of a few items and of many chunks.
template <class Op>
void require_calls(Op op, int init) {
  for (index_t const n : {few, many}) {
    auto const items = some_items(static_cast<int>(n));
    auto const cuts = some_offsets(static_cast<int>(n));
    auto const expected = call_oracle(items, cuts, op, init);
    std::vector<int> out(items.size()), totals(cuts.size() - 1);
    int const* const in = items.data();
    segment_offsets const heads{cuts.data(), static_cast<index_t>(cuts.size()) - 1};
    CHECK(cpu::exclusive_scan(3, in, out.begin(), n, op, init, chunk) == expected.total);
    CHECK(out == expected.exclusive);
    CHECK(cpu::inclusive_scan(3, in, out.begin(), n, op, init, chunk) == expected.total);
    CHECK(out == expected.inclusive);
    CHECK(cpu::reduce(3, in, n, op, init, chunk) == expected.total);
    cpu::exclusive_segmented_scan(3, in, out.begin(), heads, n, op, init, chunk);
    CHECK(out == expected.segmented_exclusive);
    cpu::inclusive_segmented_scan(3, in, out.begin(), heads, n, op, init, chunk);
    CHECK(out == expected.segmented);
    cpu::segmented_reduce(3, in, totals.begin(), heads, n, op, init, chunk);
    CHECK(totals == expected.totals);
    cpu::segmented_scan<scan_kind::inclusive>(
        3, scan_direction::reverse, in, out.begin(), equal_segments{n}, n,
        [op](int a, int b) { return op(b, a); }, init);
    CHECK(out == expected.from_last);
    std::vector<int> keys(items.size(), 1), unique(items.size());
    CHECK(cpu::reduce_by_key(3, keys.begin(), in, unique.begin(), totals.begin(), n, op, init,
                             chunk) == 1);
    CHECK(totals[0] == expected.total);
  }
}

}  // namespace

TEST_CASE("cpu calls take pointers to functions") {
  require_calls(&last_of, 12);
  require_calls(&gcd_of, 12);
}

TEST_CASE("cpu calls take lambdas") {
  require_calls([bias = 0](int a, int b) { return a < b ? a : b + bias; }, 12);
}

using functors = types_to_test<std::tuple<first_of>, std::tuple<smaller_of>, no_types>;
TEMPLATE_LIST_TEST_CASE("cpu calls take functors", "", functors) { require_calls(TestType{}, 12); }

TEST_CASE("cpu calls take those of std at the library's speed") {
  STATIC_REQUIRE(std::is_same_v<detail::operator_from<std::plus<>, float>::type, plus<float>>);
  STATIC_REQUIRE(std::is_same_v<detail::operator_from<std::bit_xor<>, int>::type, bit_xor<int>>);
  require_calls(std::plus<>{}, 12);
  CHECK(cpu::reduce(1, std::vector<double>(7, 2.0).begin(), 7, std::multiplies<>{}) == 128.0);
}

TEST_CASE("cpu calls need no init where every result has an item") {
  auto const items = some_items(many);
  std::vector<int> out(items.size()), expected(items.size(), items[0]);
  CHECK(cpu::inclusive_scan(2, items.begin(), out.begin(), many, first_of{}) == items[0]);
  CHECK(out == expected);
  cpu::inclusive_segmented_scan(2, items.begin(), out.begin(), equal_segments{many}, many,
                                first_of{});
  CHECK(out == expected);
  std::vector<int> keys(items.size(), 3), unique(1), totals(1);
  CHECK(cpu::reduce_by_key(2, keys.begin(), items.begin(), unique.begin(), totals.begin(), many,
                           first_of{}) == 1);
  CHECK(totals[0] == items[0]);
}

TEST_CASE("cpu calls take an identity that is stated, or that only the object knows") {
  auto const items = some_items(many);
  int sum = 0;
  for (int const item : items) sum = (sum + item) % 31;
  CHECK(cpu::reduce(2, items.begin(), many, modular_plus{31}) == sum);
  auto const modular = [](int a, int b) { return (a + b) % 31; };
  CHECK(cpu::reduce(2, items.begin(), many, with_identity{modular, 0}) == sum);
}

TEST_CASE("cpu calls accumulate in the type of op(init, item)") {
  std::vector<std::int16_t> const items(300, 200);
  CHECK(cpu::reduce(1, items.begin(), 300, std::plus<>{}, 0) == 60000);
  CHECK(cpu::reduce(1, items.begin(), 300, transparent_plus{}, 0.5) == 60000.5);
  std::vector<float> const halves(10, 0.5F);
  CHECK(cpu::reduce(1, halves.begin(), 10, std::plus<>{}, 0) == 5.0F);
  CHECK(cpu::reduce(1, halves.begin(), 10, larger_of{}, 0.0F) == 0.5F);
}

namespace {

struct no_default {
  explicit constexpr no_default(int number) : value(number) {}
  int value;
  bool operator==(no_default const&) const = default;
};
struct add_no_default {
  using value_type = no_default;
  constexpr no_default identity() const { return no_default(0); }
  constexpr no_default operator()(no_default a, no_default b) const {
    return no_default(a.value + b.value);
  }
};

}  // namespace

TEST_CASE("cpu calls take types without a default constructor") {
  std::vector<no_default> const items(many, no_default(2));
  std::vector<no_default> out(many, no_default(0));
  add_no_default const op;
  CHECK(cpu::reduce(2, items.begin(), many, op, op.identity(), chunk).value == 2 * many);
  cpu::inclusive_scan(2, items.begin(), out.begin(), many, op, op.identity(), chunk);
  CHECK(out.back().value == 2 * many);
  equal_segments const halves{many / 2};
  cpu::inclusive_segmented_scan(2, items.begin(), out.begin(), halves, many, op, op.identity(),
                                chunk);
  CHECK(out.back().value == many);
  CHECK(cpu::segmented_reduce(2, items.begin(), out.begin(), halves, many, op, op.identity(),
                              chunk) == 2);
  CHECK(out[1].value == many);
}

TEST_CASE("Extremes of times have identities") {
  using namespace std::chrono;
  std::vector<seconds> const items(many, seconds(42));
  CHECK(cpu::reduce(2, items.begin(), 10, minimum<seconds>{}) == seconds(42));
  CHECK(cpu::reduce(2, items.begin(), many, maximum<seconds>{}, maximum<seconds>::identity(),
                    chunk) == seconds(42));
  CHECK(cpu::reduce(2, items.begin(), 0, minimum<seconds>{}) == seconds::max());
  CHECK(cpu::reduce(2, items.begin(), many, plus<seconds>{}) == seconds(42) * many);
  std::vector<seconds> out(many);
  cpu::exclusive_scan(2, items.begin(), out.begin(), many, minimum<seconds>{}, seconds(1000),
                      chunk);
  CHECK(out[0] == seconds(1000));
  CHECK(out.back() == seconds(42));
  using point = system_clock::time_point;
  std::vector<point> const points{point(hours(5)), point(hours(-3))};
  CHECK(cpu::reduce(1, points.begin(), 2, maximum<point>{}) == points[0]);
  CHECK(cpu::reduce(1, points.begin(), 2, minimum<point>{}) == points[1]);
  using spans = duration<double>;
  CHECK(minimum<spans>::identity().count() == std::numeric_limits<double>::infinity());
  std::vector<spans> const zeros(3, spans(-0.0));
  CHECK(std::bit_cast<std::int64_t>(cpu::reduce(1, zeros.begin(), 3, plus<spans>{})) < 0);
}

namespace {

struct priority {
  int value;
  bool operator==(priority const&) const = default;
  auto operator<=>(priority const&) const = default;
};
struct rank : priority {};
static_assert(!std::numeric_limits<priority>::is_specialized);

/// Ordered by < only, without limits; and a bounded one, with limits but no unary minus.
struct least_ordered {
  int value;
  bool operator<(least_ordered other) const { return value < other.value; }
};
struct bounded {
  int value;
  auto operator<=>(bounded const&) const = default;
};

}  // namespace

template <>
struct libscan::identity_of<minimum<rank>, rank> {
  static constexpr rank identity() { return {{99}}; }
};

template <>
struct std::numeric_limits<bounded> {
  static constexpr bool is_specialized = true, has_infinity = false;
  static constexpr bounded max() { return {1000}; }
  static constexpr bounded lowest() { return {-1000}; }
  static constexpr bounded infinity() { return {}; }
};

TEST_CASE("Extremes need nothing but <, and std::numeric_limits of a type of your own hold") {
  for (index_t const n : {index_t{1}, index_t{10}, many}) {
    std::vector<bounded> const items(static_cast<std::size_t>(n), bounded{42});
    CHECK(cpu::reduce(2, items.begin(), n, minimum<bounded>{}).value == 42);
    CHECK(cpu::reduce(2, items.begin(), n, maximum<bounded>{}, bounded{-7}).value == 42);
    CHECK(cpu::reduce(2, items.begin(), 0, maximum<bounded>{}).value == -1000);
    std::vector<bounded> out(items.size());
    cpu::exclusive_scan(2, items.begin(), out.begin(), n, minimum<bounded>{});
    CHECK(out[0].value == 1000);
    std::vector<least_ordered> ordered(items.size(), least_ordered{42});
    ordered.back() = {41};
    CHECK(cpu::reduce(2, ordered.begin(), n, minimum<least_ordered>{}, least_ordered{50}).value ==
          41);
    CHECK(cpu::reduce(2, ordered.begin(), n, maximum<least_ordered>{}, least_ordered{0}).value ==
          (n == 1 ? 41 : 42));
  }
}

TEST_CASE("Extremes of types without std::numeric_limits never take T{} for their identity") {
  STATIC_REQUIRE(monoid<minimum<int>>);
  STATIC_REQUIRE(!monoid<minimum<priority>>);
  for (index_t const n : {index_t{10}, many}) {
    std::vector<priority> items(static_cast<std::size_t>(n), priority{42});
    std::vector<priority> out(items.size());
    items.back() = {41};
    CHECK(cpu::reduce(2, items.begin(), n, minimum<priority>{}, priority{1000}, chunk).value == 41);
    CHECK(cpu::inclusive_scan(2, items.begin(), out.begin(), n, minimum<priority>{}).value == 41);
    CHECK(out[0].value == 42);
    cpu::exclusive_scan(2, items.begin(), out.begin(), n, maximum<priority>{}, priority{-7}, chunk);
    CHECK(out[0].value == -7);
    CHECK(out.back().value == 42);
    with_identity const lower{minimum<priority>{}, priority{1000}};
    CHECK(cpu::reduce(2, items.begin(), n, lower).value == 41);
    std::vector<rank> const ranks(items.size(), rank{{42}});
    CHECK(cpu::reduce(2, ranks.begin(), n, minimum<rank>{}).value == 42);
    CHECK(cpu::reduce(2, ranks.begin(), 0, minimum<rank>{}).value == 99);
  }
}
