// SPDX-License-Identifier: Apache-2.0
// Every device-wide strategy of the catalog against a sequential loop, through one table: sizes,
// operators, block scans, schedules, places, and the choice by name.
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/textbook/catalog.cuh>
#include <tests/device/any_operator.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;
using namespace libscan::device::strategies;
namespace textbook = libscan::block::textbook;

namespace {

enum class place : std::uint8_t { separate, in_place };

/// Scans on the device, between canaries, with a dirty workspace of exactly the bytes requested.
template <scan_kind Kind, class Strategy, class Op, class Item>
test::scan_result<typename Op::value_type> scan_on_device(std::vector<Item> const& items, Op op,
                                                          typename Op::value_type init, place where,
                                                          Strategy strategy) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(items.size());
  std::size_t const bytes = strategy_workspace_bytes<Strategy, T>(n, strategy);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), 0xff, bytes);
  workspace ws(memory.data(), bytes);
  bool const in_place = std::is_same_v<T, Item> && where == place::in_place;
  device_image<Item> in(items, 1);
  device_image<T> apart(in_place ? 0 : n, 3);
  device_image<T> total(1);
  test::scan_result<T> result;
  if constexpr (std::is_same_v<T, Item>) {
    scan_with<Kind>(strategy, ws, in.data(), in_place ? in.data() : apart.data(), n, op,
                    total.data(), init);
    result = {in_place ? in.read() : apart.read(), total.read()[0]};
  } else {
    scan_with<Kind>(strategy, ws, in.data(), apart.data(), n, op, total.data(), init);
    result = {apart.read(), total.read()[0]};
  }
  if (!in_place) REQUIRE(bit_difference(items, in.read()) == "");
  REQUIRE(in.damage() + apart.damage() + total.damage() == "");
  return result;
}

/// The same by the strategy as its type has it.
template <scan_kind Kind, class Strategy, class Op, class Item>
test::scan_result<typename Op::value_type> scan_on_device(std::vector<Item> const& items, Op op,
                                                          typename Op::value_type init,
                                                          place where = place::separate) {
  return scan_on_device<Kind, Strategy>(items, op, init, where, Strategy{});
}

/// One row of the table: a strategy, compiled for `any_operator`.
struct row {
  std::string name;
  index_t tile_items;
  int block_threads;
  index_t max_items;
  using scan = test::scan_result<any_value> (*)(std::vector<any_value> const&, any_operator,
                                                any_value, place);
  scan exclusive;
  scan inclusive;

  void require(scan_kind kind, index_t n, any_operator op, place where) const {
    INFO(name << ", n = " << n << ", operator " << static_cast<int>(op.which)
              << (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive")
              << (where == place::in_place ? ", in place" : ""));
    auto const items = op.items(n);
    auto const run = kind == scan_kind::inclusive ? inclusive : exclusive;
    auto const got = run(items, op, op.init(), where);
    REQUIRE(difference(scan_oracle(kind, items, op, op.init()), got) == "");
  }
};

constexpr index_t no_limit = index_t{1} << 62;

template <class Strategy>
row make_row(std::string const& blocks, index_t tile_items, int block_threads,
             index_t max_items = no_limit) {
  std::string name(strategy_name(Strategy::which));
  name.append(" ").append(blocks);
  return {name,
          tile_items,
          block_threads,
          max_items,
          scan_on_device<scan_kind::exclusive, Strategy, any_operator, any_value>,
          scan_on_device<scan_kind::inclusive, Strategy, any_operator, any_value>};
}

template <template <class, int> class Strategy, class BlockScan, int BlockThreads>
row make_block_row(std::string const& blocks) {
  using strategy = Strategy<BlockScan, BlockThreads>;
  index_t const tile = strategy{}.tile_items();
  bool const alone = strategy::which == scan_strategy::one_block;
  return make_row<strategy>(blocks, tile, BlockThreads, alone ? tile : no_limit);
}

using padded_blelloch = textbook::blelloch<textbook::padded<32>>;
using fully_padded_blelloch = textbook::blelloch<textbook::fully_padded<32>>;
using raked_blelloch = textbook::raked<textbook::blelloch<>, 3>;
using raked_kogge_stone = textbook::raked<textbook::kogge_stone, 3>;

/// Tiles of a few items: a few hundred items already make several levels.
std::vector<row> const& tiny_rows() {
  static std::vector<row> const rows{
      make_row<sequential>("", 1, 1),
      make_row<global_hillis_steele<5>>("of 5 threads", 5, 5),
      make_block_row<one_block, textbook::quadratic, 37>("of 37 threads, quadratic"),
      make_block_row<scan_then_fan, textbook::kogge_stone, 4>("of 4 threads, Kogge-Stone"),
      make_block_row<scan_then_propagate, textbook::hillis_steele, 2>("of 2, Hillis-Steele"),
      make_block_row<reduce_then_scan, textbook::sequential, 5>("of 5 threads, sequential"),
      make_block_row<chained_scan, textbook::kogge_stone_double_buffered, 3>("of 3, Kogge-Stone"),
      make_block_row<decoupled_look_back, textbook::brent_kung, 2>("of 2 threads, Brent-Kung"),
      make_block_row<decoupled_look_back, textbook::hillis_steele, 32>("of 32, Hillis-Steele"),
      make_block_row<chained_scan, raked_blelloch, 3>("of 3 threads, 6 items each, Blelloch"),
      make_block_row<reduce_then_scan, raked_kogge_stone, 5>("of 5, 3 items each, Kogge-Stone"),
  };
  return rows;
}

#ifndef LIBSCAN_TEST_QUICK
/// Blocks as people would have them.
std::vector<row> const& ordinary_rows() {
  static std::vector<row> const rows{
      make_block_row<one_block, padded_blelloch, 1024>("of 1024 threads, Blelloch"),
      make_block_row<scan_then_fan, fully_padded_blelloch, 256>("of 256 threads, Blelloch"),
      make_block_row<scan_then_propagate, textbook::brent_kung, 128>("of 128, Brent-Kung"),
      make_block_row<reduce_then_scan, textbook::blelloch<>, 100>("of 100 threads, Blelloch"),
      make_block_row<chained_scan, padded_blelloch, 256>("of 256 threads, Blelloch"),
      make_block_row<decoupled_look_back, textbook::kogge_stone, 128>("of 128, Kogge-Stone"),
  };
  return rows;
}
#endif

constexpr scan_kind both_kinds[] = {scan_kind::exclusive, scan_kind::inclusive};

void require_row(row const& strategy, std::vector<index_t> const& sizes) {
  for (index_t const n : sizes) {
    if (n > strategy.max_items) break;
    for (behavior const which : all_behaviors) {
      for (scan_kind const kind : both_kinds) {
        auto const where =
            (n + static_cast<int>(which)) % 2 == 0 ? place::separate : place::in_place;
        strategy.require(kind, n, any_operator{which}, where);
      }
    }
  }
}

/// Sum of 4-byte integers, the case that packs, converts and takes the short way of exact sums.
template <class Strategy, class Item = std::int32_t>
void require_sums(std::vector<index_t> const& sizes) {
  for (index_t const n : sizes) {
    INFO(strategy_name(Strategy::which) << ", n = " << n);
    auto const items = make_items<Item>(n);
    auto const expected = scan_oracle(scan_kind::exclusive, items, plus<std::int32_t>{}, 9);
    auto const got = scan_on_device<scan_kind::exclusive, Strategy>(items, plus<std::int32_t>{}, 9);
    REQUIRE(difference(expected, got) == "");
  }
}

/// One kernel, blocks of many sizes: an operator that does not commute, against a loop.
template <template <class, int> class Strategy, class BlockScan>
void require_blocks_of_all_sizes(int least = 1) {
  using strategy = Strategy<BlockScan, 70>;
  for (int const threads : {1, 2, 3, 7, 31, 32, 33, 64, 70}) {
    if (threads < least) continue;
    strategy const blocks(threads);
    REQUIRE(blocks.threads() == threads);
    index_t const tile = blocks.tile_items();
    for (index_t const n : {index_t{1}, tile, tile + 1, 3 * tile - 1, 200 + tile}) {
      if (strategy::which == scan_strategy::one_block && n > tile) break;
      INFO(strategy_name(strategy::which) << " of " << threads << " threads, n = " << n);
      auto const items = make_items<affine>(n);
      auto const got = scan_on_device<scan_kind::inclusive>(items, compose{}, affine{3, 5},
                                                            place::in_place, blocks);
      auto const expected = scan_oracle(scan_kind::inclusive, items, compose{}, affine{3, 5});
      REQUIRE(difference(expected, got) == "");
    }
  }
  for (int const threads : {-1, 0, least - 1, 71}) {
    CHECK_THROWS_AS(strategy(threads), libscan::invalid_argument);
  }
}

}  // namespace

TEST_CASE("with tiles of a few items, every strategy agrees with a loop at every small n") {
  std::vector<index_t> sizes;
  for (index_t n = 0; n <= 200; n += n < scaled(70, 20) ? 1 : scaled(13, 45)) sizes.push_back(n);
  each_schedule(scaled(10, 2), [&](std::string const& schedule) {
    INFO(schedule);
    for (row const& strategy : tiny_rows()) require_row(strategy, sizes);
  });
}

#ifndef LIBSCAN_TEST_QUICK
TEST_CASE("with ordinary tiles, every strategy agrees with a loop along the size ladder") {
  each_schedule(scaled(1, 0), [](std::string const& schedule) {
    INFO(schedule);
    for (row const& strategy : ordinary_rows()) {
      index_t const limit = on_gpu ? no_limit : scaled(66, 1) * strategy.tile_items + 100;
      require_row(strategy, size_ladder(strategy.tile_items, strategy.block_threads, limit));
    }
  });
}
#endif

TEST_CASE("kernels for 70 threads serve blocks of any size up to that") {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    require_blocks_of_all_sizes<scan_then_fan, textbook::kogge_stone>(2);
    require_blocks_of_all_sizes<reduce_then_scan, textbook::blelloch<>>();
    require_blocks_of_all_sizes<decoupled_look_back, textbook::kogge_stone>();
    require_blocks_of_all_sizes<reduce_then_scan, raked_blelloch>();
    if constexpr (!quick_types) {
      require_blocks_of_all_sizes<one_block, textbook::brent_kung>();
      require_blocks_of_all_sizes<scan_then_fan, fully_padded_blelloch>();
      require_blocks_of_all_sizes<scan_then_propagate, textbook::kogge_stone>();
      require_blocks_of_all_sizes<chained_scan, textbook::hillis_steele>();
    }
  });
}

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("levels upon levels, and look-back beyond a window") {
  if (reduced()) return;
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (row const& strategy : tiny_rows()) {
      if (strategy.max_items < 5000) continue;
      strategy.require(scan_kind::inclusive, 5000, {behavior::composition}, place::in_place);
      strategy.require(scan_kind::exclusive, 4999, {behavior::watched}, place::separate);
    }
  });
}
#endif

TEST_CASE("sums of integers, widened from bytes too") {
  std::vector<index_t> const sizes{0, 1, 33, 1000, scaled(9000, 2000)};
  each_schedule(scaled(2, 1), [&](std::string const& schedule) {
    INFO(schedule);
    require_sums<decoupled_look_back<textbook::kogge_stone, 32>>(sizes);
    require_sums<scan_then_fan<default_block_scan, 64>, std::uint8_t>(sizes);
    if constexpr (!quick_types) require_sums<production>(sizes);
  });
}

TEST_CASE("a block that scans a second tile keeps the sums of both") {
  using tiles =
      scan_tiles_kernel<scan_kind::inclusive, textbook::kogge_stone, 4, plus<std::int32_t>>;
  std::vector<std::int32_t> const items{1, 2, 3, 4, 10, 20, 30, 40, 5, 5, 5, 5, 7, 7, 7, 7, 9};
  auto const n = static_cast<index_t>(items.size());
  device_image<std::int32_t> const in(items);
  device_image<std::int32_t> out(n), sums(5);
  simt::launch<tiles>({.blocks = 2, .threads = 4}, static_cast<std::int32_t const*>(in.data()),
                      out.data(), n, plus<std::int32_t>{}, sums.data());
  REQUIRE(sums.read() == std::vector<std::int32_t>{10, 100, 20, 28, 9});
  REQUIRE(out.read()[8] == 5);
}

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("more tiles than a grid has blocks") {
  if (reduced()) return;
  std::vector<index_t> const sizes{2 * max_blocks + 4242};
  require_sums<scan_then_fan<textbook::brent_kung, 1>>(sizes);
  require_sums<reduce_then_scan<textbook::brent_kung, 1>>(sizes);
  require_sums<chained_scan<textbook::brent_kung, 1>>(sizes);
  require_sums<decoupled_look_back<textbook::brent_kung, 1>>(sizes);
  require_sums<scan_then_propagate<textbook::kogge_stone, 1>>({4 * max_blocks + 4242});
}
#endif

TEMPLATE_TEST_CASE("an output narrower than the accumulator receives final results only", "",
                   (scan_then_fan<textbook::kogge_stone, 4>),
                   (scan_then_propagate<textbook::kogge_stone, 4>)) {
  // Partial maxima cut down to 16 bits would no longer compare as the whole ones.
  auto const items = make_items<std::uint32_t>(500);
  auto const expected =
      scan_oracle(scan_kind::inclusive, items, maximum<std::uint32_t>{}, std::uint32_t{0});
  device_image<std::uint32_t> in(items), total(1);
  device_image<std::uint16_t> out(500);
  std::size_t const bytes = strategy_workspace_bytes<TestType, std::uint32_t, std::uint16_t*>(500);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  workspace ws(memory.data(), bytes);
  scan_with<scan_kind::inclusive>(TestType{}, ws, in.data(), out.data(), 500,
                                  maximum<std::uint32_t>{}, total.data(), 0);
  auto const got = out.read();
  for (std::size_t i = 0; i < got.size(); ++i) {
    REQUIRE(got[i] == static_cast<std::uint16_t>(expected.out[i]));
  }
  REQUIRE(total.read()[0] == expected.total);
  REQUIRE(out.damage() == "");
}

TEST_CASE("floating sums of the single-pass strategies repeat bit for bit") {
  using chain = chained_scan<textbook::kogge_stone, 32>;
  using look_back = decoupled_look_back<textbook::kogge_stone, 32>;
  auto const items = make_input<float>(pattern::random, scaled(6000, 2000));
  auto const first = scan_on_device<scan_kind::exclusive, chain>(items, plus<float>{}, 0.5f);
  REQUIRE(sum_error(scan_kind::exclusive, items, 0.5f, first) == "");
  each_schedule(scaled(6, 2), [&](std::string const& schedule) {
    INFO(schedule);
    // Both add the tiles' sums in the same order.
    auto const again = scan_on_device<scan_kind::exclusive, look_back>(items, plus<float>{}, 0.5f);
    REQUIRE(bit_difference(first.out, again.out) == "");
  });
}

TEST_CASE("strategies and block scans are chosen by name") {
  for (scan_strategy const which : all_scan_strategies) {
    CHECK(strategy_from_name(strategy_name(which)) == which);
    with_strategy(which, [which](auto strategy) { CHECK(strategy.which == which); });
  }
  for (block_algorithm const which : all_block_algorithms) {
    CHECK(block_algorithm_from_name(block_algorithm_name(which)) == which);
    CHECK(with_block_scan(which, [](auto scan) { return scan.items_per_thread; }) ==
          items_per_thread(which));
  }
  CHECK(strategy_name(scan_strategy::decoupled_look_back) == "decoupled-look-back");
  CHECK(block_algorithm_name(block_algorithm::brent_kung) == "brent-kung");
  CHECK(strategy_from_name("streamscan") == scan_strategy::chained_scan);
  CHECK(strategy_from_name("cudpp") == scan_strategy::scan_then_propagate);
  CHECK(block_algorithm_from_name("work-efficient") == block_algorithm::blelloch);
  CHECK_THROWS_WITH(strategy_from_name("fan"),
                    "scan strategy \"fan\" is unknown; expected one of sequential, "
                    "global-hillis-steele, one-block, scan-then-fan, scan-then-propagate, "
                    "reduce-then-scan, chained-scan, "
                    "decoupled-look-back, production");
  CHECK_THROWS_WITH(block_algorithm_from_name(""),
                    Catch::Contains("block scan \"\" is unknown; expected one of sequential, "));

  auto const items = make_items<std::int32_t>(2000);
  auto const expected = scan_oracle(scan_kind::inclusive, items, plus<std::int32_t>{}, 0);
  for (scan_strategy const which : all_scan_strategies) {
    INFO(strategy_name(which));
    workspace ws;
    device_image<std::int32_t> in(items), out(2000);
    scan_with<scan_kind::inclusive>(which, ws, in.data(), out.data(), 2000, plus<std::int32_t>{},
                                    nullptr, 0);
    REQUIRE(difference(expected.out, out.read()) == "");
  }
}

TEST_CASE("blocks of every strategy run any textbook scan, chosen by name") {
  auto const items = make_items<affine>(100);
  for (scan_kind const kind : both_kinds) {
    auto const expected = scan_oracle(kind, items, compose{}, affine{3, 5});
    for (scan_strategy const which : all_scan_strategies) {
      if (!runs_block_scan(which)) continue;
      for (block_algorithm const block_scan : all_block_algorithms) {
        INFO(strategy_name(which) << " of " << block_algorithm_name(block_scan));
        device_image<affine> in(items), out(100);
        with_block_scan_in<7>(which, block_scan, compose{}, [&](auto strategy, auto op) {
          CHECK(strategy.which == which);
          workspace ws;
          if (kind == scan_kind::inclusive) {
            scan_with<scan_kind::inclusive>(strategy, ws, in.data(), out.data(), 100, op, nullptr,
                                            affine{3, 5});
          } else {
            scan_with<scan_kind::exclusive>(strategy, ws, in.data(), out.data(), 100, op, nullptr,
                                            affine{3, 5});
          }
        });
        REQUIRE(difference(expected.out, out.read()) == "");
      }
    }
  }
}

TEST_CASE("what a strategy cannot do is refused before anything runs") {
  device_image<int> items(100);
  workspace ws;
  auto const scan = [&](auto strategy, workspace& in, index_t n) {
    scan_with<scan_kind::exclusive>(strategy, in, items.data(), items.data(), n, plus<int>{},
                                    nullptr, 0);
  };
  CHECK_THROWS_WITH(scan(sequential{}, ws, -1), "number of items is -1; expected >= 0");
  CHECK_THROWS_WITH(scan(one_block<textbook::quadratic, 37>{}, ws, 38),
                    "scan of 38 items by one block of 37 threads; expected at most 37");
  workspace small(items.data(), 8);
  CHECK_THROWS_WITH(scan(scan_then_fan<textbook::kogge_stone, 4>{}, small, 100),
                    Catch::Contains("workspace of 8 bytes, but the call needs"));
}
