// SPDX-License-Identifier: Apache-2.0
// Device calls by callables that are no operators of libscan, as they come from lambdas, functors,
// pointers to functions, std, CUDA and CUB; against loops.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/support/callables.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

struct tiny_reduce_tuning {
  static constexpr int block_threads = 64;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 4;
  static constexpr int loads_per_thread = 2;
};

/// Buffers of one case, and what a loop says.
template <class Op>
struct one_case {
  index_t n = 1000;
  std::vector<int> items = some_items(1000);
  std::vector<std::int32_t> cuts = some_offsets(1000);
  Op op;
  int init;
  called expected;
  device_image<int> in, out, total;
  device_image<std::int32_t> offsets;
  segment_offsets<std::int32_t> segments;
  workspace ws;

  one_case(Op by, int first)
      : op(by),
        init(first),
        expected(call_oracle(items, cuts, by, first)),
        in(items),
        out(n),
        total(index_t{1}),
        offsets(cuts),
        segments{offsets.data(), static_cast<index_t>(cuts.size()) - 1} {}

  void require(std::vector<int> const& results) { REQUIRE(out.read() == results); }
  void require_total() { REQUIRE(total.read()[0] == expected.total); }
};

/// Every call with an init.
template <class Op>
void require_calls(Op op, int init) {
  one_case<Op> c(op, init);
  using way = tiny_tuning;
  exclusive_scan<way>(c.ws, c.in.data(), c.out.data(), c.n, op, c.total.data(), init);
  c.require(c.expected.exclusive);
  c.require_total();
  inclusive_scan<way>(c.ws, c.in.data(), c.out.data(), c.n, op, nullptr, init);
  c.require(c.expected.inclusive);
  reduce<tiny_reduce_tuning>(c.ws, c.in.data(), c.total.data(), c.n, op, init);
  c.require_total();
  reverse_exclusive_scan<way>(c.ws, c.in.data(), c.out.data(), c.n, op, nullptr, init);
  c.require(c.expected.from_last_exclusive);
  reverse_inclusive_scan<way>(c.ws, c.in.data(), c.out.data(), c.n, op, nullptr, init);
  c.require(c.expected.from_last);
  exclusive_segmented_scan<way>(c.ws, c.in.data(), c.out.data(), c.segments, c.n, op, init);
  c.require(c.expected.segmented_exclusive);
  inclusive_segmented_scan<way>(c.ws, c.in.data(), c.out.data(), c.segments, c.n, op, init);
  c.require(c.expected.segmented);
  device_image<int> totals(c.segments.segments);
  segmented_reduce<way>(c.ws, c.in.data(), totals.data(), c.segments, c.n, op, nullptr, init);
  REQUIRE(totals.read() == c.expected.totals);
}

/// Every item a run of its own: the items themselves, after init.
template <class Op>
void require_by_key(Op op, int init) {
  one_case<Op> c(op, init);
  std::vector<int> keys, expected;
  for (int i = 0; i < c.n; ++i) keys.push_back(i);
  for (int const item : c.items) expected.push_back(op(init, item));
  device_image<int> on_device(keys), unique(c.n);
  device_image<index_t> runs(index_t{1});
  reduce_by_key<tiny_tuning>(c.ws, on_device.data(), c.in.data(), unique.data(), c.out.data(), c.n,
                             op, runs.data(), equal_values{}, init);
  c.require(expected);
  REQUIRE(unique.read() == keys);
  REQUIRE(runs.read()[0] == c.n);
}

/// What the library chooses, for an inclusive scan without init and a reduction.
template <class Op>
void require_chosen(Op op, int init) {
  one_case<Op> c(op, init);
  inclusive_scan(c.ws, c.in.data(), c.out.data(), c.n, op);
  std::vector<int> expected;
  for (int const item : c.items) {
    expected.push_back(expected.empty() ? item : op(expected.back(), item));
  }
  c.require(expected);
  reduce(c.ws, c.in.data(), c.total.data(), c.n, op, init);
  c.require_total();
}

}  // namespace

#ifndef __CUDACC__
TEST_CASE("device calls take pointers to functions") {
  for (auto* const op : {&last_of, &gcd_of}) {
    require_calls(op, 12);
    require_by_key(op, 12);
  }
}
#else
TEST_CASE("device calls take functors without an identity") {
  require_calls(first_of{}, 12);
  require_by_key(first_of{}, 12);
}
#endif

TEST_CASE("device calls take what an operator of the library is equal to, at its speed") {
  using same = std::is_same<libscan::detail::operator_from<std::plus<>, int>::type, plus<int>>;
  STATIC_REQUIRE(same::value);
  STATIC_REQUIRE(
      std::is_same_v<libscan::detail::operator_from<std::bit_or<int>, int>::type, bit_or<int>>);
  STATIC_REQUIRE(std::is_same_v<workspace_value_t<std::multiplies<>, float*, int>, float>);
  require_calls(std::plus<>{}, 12);
  require_by_key(std::plus<int>{}, 12);
}

TEST_CASE("device calls take an identity that only the object knows") {
  one_case<modular_plus> c(modular_plus{31}, 0);
  inclusive_scan<tiny_tuning>(c.ws, c.in.data(), c.out.data(), c.n, c.op);
  c.require(c.expected.inclusive);
  reduce<tiny_reduce_tuning>(c.ws, c.in.data(), c.total.data(), c.n, c.op);
  c.require_total();
}

TEST_CASE("device calls accumulate in the type of op(init, item)") {
  std::vector<std::int16_t> const items(300, 200);
  device_image<std::int16_t> in(items);
  device_image<double> out(index_t{300}), total(index_t{1});
  workspace ws;
  exclusive_scan<tiny_tuning>(ws, in.data(), out.data(), 300, transparent_plus{}, total.data(),
                              0.5);
  REQUIRE(out.read()[299] == 299 * 200 + 0.5);
  REQUIRE(total.read()[0] == 300 * 200 + 0.5);
}

namespace {

/// Ordered, without std::numeric_limits.
struct priority {
  int value;
  LIBSCAN_HOST_DEVICE bool operator<(priority b) const { return value < b.value; }
  LIBSCAN_HOST_DEVICE bool operator>(priority b) const { return value > b.value; }
  LIBSCAN_HOST_DEVICE bool operator!=(priority b) const { return value != b.value; }
};

}  // namespace

TEST_CASE("device calls take extremes of types without std::numeric_limits") {
  std::vector<priority> items(300, priority{42});
  items.back() = {41};
  device_image<priority> in(items);
  device_image<priority> out(index_t{300}), total(index_t{1});
  workspace ws;
  inclusive_scan<tiny_tuning>(ws, in.data(), out.data(), 300, minimum<priority>{}, total.data(),
                              priority{1000});
  REQUIRE(out.read()[0].value == 42);
  REQUIRE(total.read()[0].value == 41);
  inclusive_scan<tiny_tuning>(ws, in.data(), out.data(), 300, maximum<priority>{});
  REQUIRE(out.read()[299].value == 42);
}

using functors = types_to_test<std::tuple<smaller_of>, std::tuple<larger_of, first_of>>;
TEMPLATE_LIST_TEST_CASE("what the library chooses takes functors, too", "", functors) {
  require_chosen(TestType{}, 12);
}
