// SPDX-License-Identifier: Apache-2.0
// Adjacent differences on the device against a loop: sizes, types, operators, in place, and counts
// in device memory. In place, a tile that read its neighbor's memory would be a race.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/adjacent_difference.cuh>
#include <libscan/reference/operators.hpp>
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

/// The smallest tile of the resident kernel: one row of two warps.
struct tiny_resident {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 64;
  static constexpr int items_per_thread = 2;
};

/// Neither associative nor commutative, of another type than the items.
struct packed_pair {
  LIBSCAN_HOST_DEVICE std::uint64_t operator()(std::uint32_t earlier, std::uint32_t later) const {
    return std::uint64_t{earlier} << 32 | later;
  }
};

/// 20 bytes: more than the resident kernel takes.
struct five_words {
  std::uint32_t at[5];
  bool operator==(five_words const&) const = default;
};

/// Of each word, the earlier times three plus the later.
struct mix {
  LIBSCAN_HOST_DEVICE five_words operator()(five_words const& earlier,
                                            five_words const& later) const {
    five_words result{};
    for (int k = 0; k < 5; ++k) result.at[k] = 3 * earlier.at[k] + later.at[k];
    return result;
  }
};

template <class Tuning, class Result, class Item, class Op>
void require_differences(std::vector<Item> const& items, std::vector<Result> const& expected, Op op,
                         int offset = 0) {
  INFO("n = " << items.size() << ", offset " << offset);
  auto const n = static_cast<index_t>(items.size());
  workspace ws;
  device_image<Item> in(items, offset);
  device_image<Result> out(n, offset);
  adjacent_difference<Tuning>(ws, in.data(), out.data(), n, op);
  REQUIRE(difference(expected, out.read()) == "");
  REQUIRE(bit_difference(items, in.read()) == "");
  REQUIRE(in.damage() + out.damage() == "");
  if constexpr (std::is_same_v<Item, Result>) {
    adjacent_difference<Tuning>(ws, in.data(), in.data(), n, op);
    REQUIRE(difference(expected, in.read()) == "");
    REQUIRE(in.damage() == "");
  }
}

template <class Tuning, class Item>
void require_differences(std::vector<Item> const& items, int offset = 0) {
  require_differences<Tuning>(items, reference::adjacent_difference(items), later_minus_earlier{},
                              offset);
}

}  // namespace

using kernels = std::tuple<tiny_tuning, tiny_resident, look_back_tuning<std::int32_t>>;
TEMPLATE_LIST_TEST_CASE("every n from 0 to 200 agrees with a loop, also in place", "", kernels) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    packed_pair const pair;
    auto sizes = tiny_sizes();
    for (index_t const n : {1023, 1024, 1025, 8192}) sizes.push_back(n);  // several resident tiles
    for (index_t const n : sizes) {
      auto const words = make_items<std::uint32_t>(n);
      require_differences<TestType>(words, static_cast<int>(n % 4));
      require_differences<TestType>(
          words, reference::adjacent_difference<std::uint64_t>(words, pair), pair);
    }
  });
}

using item_types = types_to_test<std::tuple<std::uint8_t, double>,
                                 std::tuple<std::int16_t, std::int32_t, std::int64_t, float>,
                                 std::tuple<std::uint16_t, std::uint32_t, std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("the size ladder agrees with a loop, in every type", "", item_types) {
  using tuning = look_back_tuning<TestType>;
  index_t const tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 2000000 : scaled(300000, 20000);
  for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
    require_differences<void>(make_items<TestType>(n));
    require_differences<tuning>(make_items<TestType>(n));
  }
}

TEST_CASE("floats keep NaN, infinities and negative zeros; items may be structs of any size") {
  auto const floats = make_input<float>(pattern::special, 5000);
  require_differences<void>(floats);
  auto const maps = make_items<affine>(3000);
  compose const then;
  require_differences<void>(maps, reference::adjacent_difference<affine>(maps, then), then);
  std::vector<five_words> words;
  for (std::uint32_t const x : make_items<std::uint32_t>(3000)) {
    words.push_back({{x, x + 1, ~x, 2 * x, 7}});
  }
  require_differences<void>(words, reference::adjacent_difference<five_words>(words, mix{}), mix{});
}

TEST_CASE("an inclusive sum undoes differences") {
  auto const items = make_items<std::uint32_t>(30001);
  device_image<std::uint32_t> image(items);
  workspace ws;
  adjacent_difference(ws, image.data(), image.data(), 30001);
  inclusive_scan(ws, image.data(), image.data(), 30001, plus<std::uint32_t>{});
  REQUIRE(difference(items, image.read()) == "");
}

TEST_CASE("items may come from an iterator, and their number from device memory") {
  auto const items = make_items<std::int16_t>(3000);
  auto const squares = transform_all(items, squared{});
  device_image<std::int16_t> in(items);
  for (index_t const n : {-1, 0, 1, 32, 33, 2999, 9999}) {
    INFO("n on the device = " << n);
    index_t const taken = n < 0 ? 0 : n > 3000 ? 3000 : n;
    auto expected = reference::adjacent_difference(squares);
    expected.resize(static_cast<std::size_t>(taken));
    device_image<index_t> length(std::vector<index_t>{n});
    device_image<std::int64_t> out(taken);
    workspace ws;
    adjacent_difference<tiny_tuning>(
        ws, transformed{static_cast<std::int16_t const*>(in.data()), squared{}}, out.data(),
        item_count::on_device(length.data(), 3000));
    REQUIRE(difference(expected, out.read()) == "");
    REQUIRE(out.damage() == "");
  }
}

TEST_CASE("a dirty workspace of the stated size suffices; less, and overlaps, are refused") {
  index_t const n = 100000;
  auto const items = make_items<std::int64_t>(n);
  std::size_t const bytes = adjacent_difference_workspace_bytes<std::int64_t>(n);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), 0xff, bytes);
  workspace ws(memory.data(), bytes);
  device_image<std::int64_t> in(items), out(n);
  for (int k = 0; k < 2; ++k) {
    adjacent_difference(ws, in.data(), out.data(), n);
    REQUIRE(difference(reference::adjacent_difference(items), out.read()) == "");
  }
  workspace small(memory.data(), 8);
  REQUIRE_THROWS_WITH(adjacent_difference(small, in.data(), out.data(), n),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
  REQUIRE_THROWS_WITH(adjacent_difference(ws, in.data(), in.data() + 1, n - 1),
                      Catch::Contains("adjacent_difference: the output overlaps the input"));
}
