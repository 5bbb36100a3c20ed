// SPDX-License-Identifier: Apache-2.0
// Device scans from the last item to the first against a sequential loop: sizes, operators, types,
// schedules, and where items and results lie.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>
#include <tests/support/transformed.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

/// Whatever lies after item 0, from the last item to the first. Of the library's operators it uses
/// plain ones in their place.
template <class Op, class Item>
test::scan_result<typename Op::value_type> reverse_oracle(scan_kind kind,
                                                          std::vector<Item> const& items, Op op,
                                                          typename Op::value_type init) {
  using T = typename Op::value_type;
  auto const plain = oracle_of(op);
  test::scan_result<T> result{std::vector<T>(items.size()), init};
  for (std::size_t i = items.size(); i-- > 0;) {
    T const next = plain(static_cast<T>(items[i]), result.total);
    result.out[i] = kind == scan_kind::inclusive ? next : result.total;
    result.total = next;
  }
  return result;
}

/// A scan by the library.
template <class Tuning, class Op, class In, class Out>
void scan(scan_kind kind, In in, Out out, item_count n, Op op, typename Op::value_type* total,
          typename Op::value_type init) {
  workspace ws;
  if (kind == scan_kind::exclusive) {
    reverse_exclusive_scan<Tuning>(ws, in, out, n, op, total, init);
  } else {
    reverse_inclusive_scan<Tuning>(ws, in, out, n, op, total, init);
  }
}

constexpr scan_kind both_kinds[] = {scan_kind::exclusive, scan_kind::inclusive};

/// Both kinds, into memory apart and, of items of the operator's own type, in place.
template <class Tuning, class Op, class Item>
void require_scans(std::vector<Item> const& items, Op op, typename Op::value_type init,
                   int in_offset = 0, int out_offset = 0) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(items.size());
  for (scan_kind const kind : both_kinds) {
    INFO("n = " << n << (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive")
                << ", offsets " << in_offset << " and " << out_offset);
    auto const expected = reverse_oracle(kind, items, op, init);
    device_image<Item> in(items, in_offset);
    device_image<T> out(n, out_offset), total(1);
    scan<Tuning>(kind, in.data(), out.data(), n, op, total.data(), init);
    REQUIRE(difference(expected, {out.read(), total.read()[0]}) == "");
    REQUIRE(out.damage() == "");
    REQUIRE(bit_difference(items, in.read()) == "");
    if constexpr (std::is_same_v<T, Item>) {
      scan<Tuning>(kind, in.data(), in.data(), n, op, nullptr, init);
      REQUIRE(difference(expected.out, in.read()) == "");
      REQUIRE(in.damage() == "");
    }
  }
}

/// For one block, for the resident scan and for the pipelined one.
std::vector<index_t> sizes() {
  if (on_gpu) return {1, 700, 200003, 2000003, 4000000};
  return {1, 700, 5003, scaled(40009, 17001)};
}

}  // namespace

TEMPLATE_TEST_CASE("with the smallest tiles, every n from 0 to 200 agrees with a reverse loop", "",
                   tiny_tuning, tiny_pipeline_tuning, tiny_resident_tuning) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      if constexpr (!few_types) {
        require_scans<TestType>(make_items<std::int32_t>(n), plus<std::int32_t>{}, 7);
      }
      require_scans<TestType>(make_items<affine>(n), compose{}, affine{3, 5});
    }
  });
}

TEST_CASE("wherever items and results begin, nothing beyond them is read or written") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int out_offset = 0; out_offset < 5; out_offset += sized(1, 2)) {
      for (int const in_offset : {0, 1, out_offset}) {
        for (index_t const n : sized_list({0, 1, 2, 3, 5, 127, 128, 129, 255, 256, 300, 1021},
                                          {0, 1, 3, 127, 129, 256, 1021})) {
          if constexpr (!few_types) {
            require_scans<tiny_pipeline_tuning>(make_items<std::int32_t>(n), plus<std::int32_t>{},
                                                7, in_offset, out_offset);
          }
          require_scans<tiny_pipeline_tuning>(make_input<std::int8_t>(pattern::random, n),
                                              minimum<std::int32_t>{}, 5, in_offset, out_offset);
        }
      }
    }
    index_t const n = on_gpu ? 2000003 : scaled(40009, 17001);
    for (int const offset : {0, 1, 3}) {
      require_scans<automatic>(make_items<std::int32_t>(n), plus<std::int32_t>{}, 7, offset,
                               offset);
    }
  });
}

namespace {

template <class Op>
using pipelined = tried<
    pipeline_tuning<typename Op::value_type, typename Op::value_type, typename Op::value_type>, Op>;
template <class Op>
using looking_back = tried<look_back_tuning<typename Op::value_type>, Op>;
template <class Op>
using by_choice = tried<chosen, Op>;

}  // namespace

using operators = types_to_test<
    std::tuple<pipelined<plus<std::uint8_t>>>,
    std::tuple<looking_back<compose>, pipelined<plus<std::uint64_t>>, looking_back<join_shears>>,
    std::tuple<by_choice<plus<std::uint8_t>>, by_choice<plus<std::uint64_t>>, by_choice<compose>,
               by_choice<join_shears>, by_choice<plus<std::uint16_t>>,
               by_choice<plus<std::uint32_t>>, by_choice<maximum<double>>,
               by_choice<bit_xor<std::int8_t>>, by_choice<keep_last>,
               pipelined<plus<std::uint32_t>>>>;
TEMPLATE_LIST_TEST_CASE("reverse scans of every type agree with a loop", "", operators) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sizes()) {
      using op = typename TestType::with;
      auto const items = make_items<typename op::value_type>(n);
      require_scans<way_of<typename TestType::way>>(items, op{}, items.front());
    }
  });
}

TEST_CASE("narrow items and an operator whose identity they cannot hold agree with a loop") {
  for (index_t const n : sizes()) {
    auto const bytes = make_input<std::int8_t>(pattern::random, n);
    require_scans<automatic_or<look_back_tuning<std::int32_t>>>(bytes, plus<std::int32_t>{}, 1000);
    if constexpr (!quick_types) {
      using tuning = automatic_or<look_back_tuning<std::int64_t>>;
      require_scans<tuning>(bytes, minimum<std::int64_t>{},
                            std::numeric_limits<std::int64_t>::max());
      require_scans<tuning>(make_input<std::uint16_t>(pattern::random, n), plus<std::uint64_t>{},
                            std::uint64_t{1} << 40);
    }
  }
}

TEST_CASE("results are transformed as they are stored in reverse") {
  for (index_t const n : sizes()) {
    auto const items = make_items<std::int16_t>(n);
    device_image<std::int16_t> in(items);
    device_image<std::uint64_t> out(n, 1);
    transforming const result{out.data(), inverted{}};
    auto const* const first = static_cast<std::int16_t const*>(in.data());
    using tuning = automatic_or<look_back_tuning<std::int64_t>>;
    scan<tuning>(scan_kind::inclusive, first, result, n, plus<std::int64_t>{}, nullptr, 5);
    auto const expected = reverse_oracle(scan_kind::inclusive, items, plus<std::int64_t>{}, 5);
    REQUIRE(difference(transform_all(expected.out, inverted{}), out.read()) == "");
    REQUIRE(out.damage() == "");
  }
}

TEST_CASE("items are transformed as they are loaded in reverse") {
  for (index_t const n : sizes()) {
    auto const items = make_items<std::int16_t>(n);
    device_image<std::int16_t> in(items);
    device_image<std::int64_t> out(n, 1);
    transformed const first{static_cast<std::int16_t const*>(in.data()), squared{}};
    using tuning = automatic_or<look_back_tuning<std::int64_t>>;
    scan<tuning>(scan_kind::exclusive, first, out.data(), n, plus<std::int64_t>{}, nullptr, 5);
    auto const expected = reverse_oracle(scan_kind::exclusive, transform_all(items, squared{}),
                                         plus<std::int64_t>{}, 5);
    REQUIRE(difference(expected.out, out.read()) == "");
    REQUIRE(out.damage() == "");
  }
}

using ways_of_counts = types_to_test<std::tuple<tiny_tuning>, std::tuple<chosen>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("reverse scans read the number of items on the device", "",
                        ways_of_counts) {
  index_t const at_most = sizes().back();
  auto const items = make_items<std::int32_t>(at_most);
  for (index_t const n :
       {index_t{-3}, index_t{0}, index_t{1}, index_t{33}, at_most - 1, at_most, at_most + 5}) {
    INFO("n on the device = " << n);
    index_t const taken = std::clamp<index_t>(n, 0, at_most);
    for (scan_kind const kind : both_kinds) {
      device_image<std::int32_t> in(items), out(at_most), total(1);
      device_image<index_t> length(std::vector<index_t>{n});
      scan<way_of<TestType>>(kind, in.data(), out.data(),
                             item_count::on_device(length.data(), at_most), plus<std::int32_t>{},
                             total.data(), 7);
      auto const expected =
          reverse_oracle(kind, std::vector<std::int32_t>(items.begin(), items.begin() + taken),
                         plus<std::int32_t>{}, 7);
      auto got = out.read();
      REQUIRE(out.written_from(taken) == "");
      got.resize(static_cast<std::size_t>(taken));
      REQUIRE(difference(expected, {got, total.read()[0]}) == "");
    }
  }
}

TEST_CASE("a pipeline in reverse refuses a number of items that only the device knows") {
  using tuning = pipeline_tuning<std::int32_t, std::int32_t, std::int32_t>;
  device_image<std::int32_t> in(9), out(9);
  device_image<index_t> length(std::vector<index_t>{9});
  REQUIRE_THROWS_AS(
      scan<tuning>(scan_kind::inclusive, in.data(), out.data(),
                   item_count::on_device(length.data(), 9), plus<std::int32_t>{}, nullptr, 0),
      invalid_argument);
}

namespace {

/// The least of integers up to a bound, which is the identity.
struct min_below {
  using value_type = std::int64_t;
  value_type bound;
  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return bound; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type a, value_type b) const {
    return a < b ? a : b;
  }
};

}  // namespace

TEST_CASE("a reverse scan asks the operator it is given for its identity") {
  for (index_t const n : sizes()) {
    auto const items = make_items<std::int64_t>(n);
    min_below const op{*std::max_element(items.begin(), items.end())};
    require_scans<automatic_or<look_back_tuning<std::int64_t>>>(items, op, op.identity());
  }
}

TEST_CASE("the workspace of a scan has space for one in reverse") {
  for (index_t const n : sizes()) {
    auto const items = make_items<std::int32_t>(n);
    std::size_t const bytes = scan_workspace_bytes<std::int32_t>(n);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    workspace ws(memory.data(), bytes);
    device_image<std::int32_t> in(items), out(n, 1);
    reverse_exclusive_scan(ws, in.data(), out.data(), n, plus<std::int32_t>{});
    REQUIRE(difference(reverse_oracle(scan_kind::exclusive, items, plus<std::int32_t>{}, 0).out,
                       out.read()) == "");
  }
}
