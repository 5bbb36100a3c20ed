// SPDX-License-Identifier: Apache-2.0
// Sums of 1- and 2-byte integers, which the pipelined scan keeps packed in registers, against a
// sequential loop: every signedness, width of results, alignment and number of items.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// A pipeline whose lanes hold four items, and so a word at least, and whose parts are two batches.
struct tiny_packed_tuning : tiny_pipeline_tuning {
  static constexpr int vector_items = 4;
  static constexpr int rows = 4;
  static_assert(rows == 2 * packed_rows_at_once);
};

template <class Item, class T, class Result>
struct sum_of {
  using item = Item;
  using accumulator = T;
  using result = Result;
};

template <class Result, class T>
std::vector<Result> stored(std::vector<T> const& values) {
  return {values.begin(), values.end()};
}

template <class Tuning, class Item, class T, class Result>
void require_sum(scan_kind kind, std::vector<Item> const& items, int in_offset, int out_offset) {
  auto const n = static_cast<index_t>(items.size());
  INFO("n = " << n << ", offsets " << in_offset << " and " << out_offset
              << (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive"));
  auto const expected = scan_oracle(kind, items, plus<T>{}, T(3));
  workspace ws;
  device_image<Item> in(items, in_offset);
  device_image<Result> out(n, out_offset);
  device_image<T> total(1);
  if (kind == scan_kind::exclusive) {
    exclusive_scan<Tuning>(ws, in.data(), out.data(), n, plus<T>{}, total.data(), T(3));
  } else {
    inclusive_scan<Tuning>(ws, in.data(), out.data(), n, plus<T>{}, total.data(), T(3));
  }
  REQUIRE(bit_difference(stored<Result>(expected.out), out.read()) == "");
  REQUIRE(total.read()[0] == expected.total);
  REQUIRE(in.damage() == "");
  REQUIRE(out.damage() == "");
}

}  // namespace

TEMPLATE_TEST_CASE("packed sums agree with a loop, in every type and place", "",
                   (sum_of<std::int8_t, std::int8_t, std::int8_t>),
                   (sum_of<std::uint8_t, std::uint8_t, std::uint8_t>),
                   (sum_of<std::int8_t, std::int32_t, std::int32_t>),
                   (sum_of<std::uint8_t, std::uint32_t, std::uint16_t>),
                   (sum_of<std::int16_t, std::int16_t, std::int16_t>),
                   (sum_of<std::uint16_t, std::int32_t, std::int32_t>),
                   (sum_of<std::uint16_t, std::uint32_t, std::uint16_t>)) {
  using item = typename TestType::item;
  using accumulator = typename TestType::accumulator;
  using result = typename TestType::result;
  static_assert(device::packs<item, plus<accumulator>, result*, tiny_packed_tuning::vector_items>);
  for (scan_kind const kind : {scan_kind::exclusive, scan_kind::inclusive}) {
    for (index_t n = 0; n <= 1200; n += n < 20 ? 1 : scaled(97, 389)) {
      auto const items = make_input<item>(pattern::random, n);
      require_sum<tiny_packed_tuning, item, accumulator, result>(kind, items, 0, 0);
    }
    auto const items = make_input<item>(pattern::random, 1100);
    for (int offset = 0; offset < 16; offset += scaled(1, 5)) {
      require_sum<tiny_packed_tuning, item, accumulator, result>(kind, items, offset, 0);
      require_sum<tiny_packed_tuning, item, accumulator, result>(kind, items, 16 - offset, offset);
    }
    auto const many = make_input<item>(pattern::random, scaled(200000, 60000));
    require_sum<void, item, accumulator, result>(kind, many, 0, 0);
  }
}
