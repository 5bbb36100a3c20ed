// SPDX-License-Identifier: Apache-2.0
// What the sources claim of the strategies' global memory traffic (4n, 4n, 3n, 2n) and launches,
// counted in the executor while the library's own kernels run. Equalities, with the formula beside
// the number. Launches are counted in every build, sectors of 32 bytes in the racecheck build.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/textbook/catalog.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::device::strategies;
namespace textbook = libscan::block::textbook;
namespace executor = libscan::simt::executor;

namespace {

#ifdef LIBSCAN_TEST_RACECHECK
constexpr bool sectors_are_counted = true;
#else
constexpr bool sectors_are_counted = false;
#endif

// Blocks of 64 threads; a tile of Blelloch's scan has 128 items, one of Kogge-Stone's 64.
constexpr int threads = 64;
constexpr index_t warps = threads / 32;
using blelloch = textbook::blelloch<textbook::padded<32>>;
using kogge_stone = textbook::kogge_stone;

// From one tile to three levels of tiles, whole and partial ones.
constexpr index_t sizes[] = {1, 100, 128, 129, 1000, 8192, 16384, 16385, 20011, 40000};

/// One block at a time: no tile ever finds another at work.
executor::settings one_at_a_time() {
  executor::settings how;
  how.blocks_in_flight = 1;
  return how;
}

/// Counts of an exclusive scan of n 4-byte integers without a total, whose result is checked.
template <class Strategy>
executor::counts counts_of(index_t n, executor::settings how = one_at_a_time()) {
  auto const items = test::make_input<std::int32_t>(test::pattern::random, n);
  test::device_buffer<std::int32_t> const in(items), out(items.size());
  executor::counts counts;
  how.count = &counts;
  {
    executor::scoped_settings const scope(how);
    workspace ws;
    scan_with<scan_kind::exclusive>(Strategy{}, ws, in.data(), out.data(), n, plus<std::int32_t>{},
                                    nullptr, 0);
  }
  auto const expected = test::scan_oracle(scan_kind::exclusive, items, plus<std::int32_t>{}, 0);
  REQUIRE(test::difference(expected.out, out.copy()) == "");
  return counts;
}

/// Sectors of n consecutive 4-byte values from the start of one: one n of traffic.
index_t once(index_t n) { return ceil_div(4 * n, index_t{32}); }

/// Requires the sectors of a strategy to be those of `formula`, at every size.
template <class Strategy, class Formula>
void require_sectors(Formula formula) {
  if (!sectors_are_counted) return;
  for (index_t const n : sizes) {
    INFO(strategy_name(Strategy::which) << ", n = " << n);
    CHECK(counts_of<Strategy>(n).total().global_sectors == formula(n));
  }
}

/// Requires the launches of a strategy to be those of `formula`, at every size.
template <class Strategy, class Formula>
void require_launches(Formula formula) {
  for (index_t const n : sizes) {
    INFO(strategy_name(Strategy::which) << ", n = " << n);
    CHECK(counts_of<Strategy>(n).launches == formula(n));
  }
}

/// How many levels of tiles n items make.
index_t levels(index_t n, index_t tile) {
  return n <= tile ? 1 : 1 + levels(ceil_div(n, tile), tile);
}

/// 4n on every level but the last, which is one tile and 2n; and for each tile its sum, written by
/// one thread, and its prefix, read once by every warp.
index_t scan_then_add(index_t n, index_t tile) {
  if (n <= tile) return 2 * once(n);
  index_t const tiles = ceil_div(n, tile);
  return 4 * once(n) + tiles * (1 + warps) + scan_then_add(tiles, tile);
}

/// A single-pass scan: 2n, and a ticket for each tile and, to learn that none is left, each block.
index_t single_pass(index_t n, index_t tiles) {
  index_t const blocks = tiles;
  return 2 * once(n) + tiles + blocks;
}

/// Sectors that the look-back window before `tile` covers in an array of 4-byte words.
index_t window_sectors(index_t tile) {
  index_t const first = tile < 32 ? 0 : tile - 32;
  return (tile - 1) / 8 - first / 8 + 1;
}

}  // namespace

TEST_CASE("scan-then-fan moves 4n: each item is read and written twice") {
  require_sectors<scan_then_fan<blelloch, threads>>(
      [](index_t n) { return scan_then_add(n, 128); });
  require_sectors<scan_then_fan<kogge_stone, threads>>(
      [](index_t n) { return scan_then_add(n, 64); });
  if (sectors_are_counted) {
    // 4 x 5000 + 313 x 3; of the sums 4 x 40 + 3 x 3; of their sums 2 x 1
    using strategy = scan_then_fan<blelloch, threads>;
    CHECK(counts_of<strategy>(40000).total().global_sectors == 20939 + 169 + 2);
  }
}

TEST_CASE("scan-then-propagate moves 4n, too; its levels are fewer") {
  require_sectors<scan_then_propagate<blelloch, threads>>(
      [](index_t n) { return scan_then_add(n, 4 * 128); });
  require_sectors<scan_then_propagate<kogge_stone, threads>>(
      [](index_t n) { return scan_then_add(n, 4 * 64); });
  if (sectors_are_counted) {
    // 4 x 5000 + 79 x 3; of the sums 2 x 10
    using strategy = scan_then_propagate<blelloch, threads>;
    CHECK(counts_of<strategy>(40000).total().global_sectors == 20237 + 20);
  }
}

TEST_CASE("reduce-then-scan moves 3n: nothing is written before its value is final") {
  using strategy = reduce_then_scan<blelloch, threads>;
  require_sectors<strategy>([](index_t n) {
    index_t const segments = ceil_div(n, strategy{}.segment_items(n));
    // A segment's sum is written by one thread, and its prefix is read once by every warp; one
    // block reads and writes the sums.
    return 3 * once(n) + segments * (1 + warps) + 2 * once(segments);
  });
  if (sectors_are_counted) {
    // 313 tiles of 128 in 105 segments: 3 x 5000 + 105 x 3 + 2 x 14
    CHECK(counts_of<strategy>(40000).total().global_sectors == 15000 + 315 + 28);
  }
}

TEST_CASE("the chained scan moves 2n") {
  using strategy = chained_scan<blelloch, threads>;
  require_sectors<strategy>([](index_t n) {
    index_t const tiles = ceil_div(n, index_t{128});
    // A flag and a prefix are written by each tile, and read by each but the first.
    return single_pass(n, tiles) + 2 * tiles + 2 * (tiles - 1);
  });
  if (sectors_are_counted) {
    // 2 x 5000 + 2 x 313 + 2 x 313 + 2 x 312
    CHECK(counts_of<strategy>(40000).total().global_sectors == 11876);
  }
}

TEST_CASE("decoupled look-back moves 2n") {
  using strategy = decoupled_look_back<blelloch, threads>;
  require_sectors<strategy>([](index_t n) {
    index_t const tiles = ceil_div(n, index_t{128});
    // A flag and a prefix are written by each tile, a flag and a sum by each but the first, which
    // reads flags and prefixes of one window.
    index_t sectors = single_pass(n, tiles) + 2 * tiles + 2 * (tiles - 1);
    for (index_t tile = 1; tile < tiles; ++tile) sectors += 2 * window_sectors(tile);
    return sectors;
  });
  if (sectors_are_counted) {
    // 2 x 5000 + 2 x 313 + 2 x 313 + 2 x 312, and 2 x 1445 of windows, of 1 to 5 sectors
    CHECK(counts_of<strategy>(40000).total().global_sectors == 11876 + 2 * 1445);
  }
}

TEST_CASE("however tiles meet, the single-pass scans read and write each item once") {
  if (!sectors_are_counted) return;
  auto const of_items = [](executor::counts const& counts) {
    std::int64_t sectors = 0;
    for (auto const& [line, counted] : counts.by_line) {
      if (line.file.ends_with("/textbook_tile.cuh")) sectors += counted.global_sectors;
    }
    return sectors;
  };
  for (unsigned seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    auto how = executor::seeded(seed);
    how.blocks_in_flight = 2 + static_cast<int>(seed);
    using chain = chained_scan<blelloch, threads>;
    using look_back = decoupled_look_back<blelloch, threads>;
    CHECK(of_items(counts_of<chain>(8000, how)) == 2 * once(8000));
    CHECK(of_items(counts_of<look_back>(8000, how)) == 2 * once(8000));
  }
}

TEST_CASE("the production scan moves 2n and little more") {
  if (!sectors_are_counted) return;
  index_t const n = 60000;
  auto const sectors = counts_of<production>(n).total().global_sectors;
  CHECK(sectors >= 2 * once(n));
  CHECK(sectors < 2 * once(n) * 11 / 10);
}

TEST_CASE("one thread moves 2n items, each in a sector of its own") {
  require_sectors<sequential>([](index_t n) { return 2 * n; });
}

TEST_CASE("levels cost launches; reduce-then-scan has three, single passes one") {
  require_launches<scan_then_fan<blelloch, threads>>(
      [](index_t n) { return 2 * levels(n, 128) - 1; });
  require_launches<scan_then_propagate<blelloch, threads>>(
      [](index_t n) { return 2 * levels(n, 4 * 128) - 1; });
  require_launches<reduce_then_scan<blelloch, threads>>([](index_t) { return 3; });
  require_launches<chained_scan<blelloch, threads>>([](index_t) { return 1; });
  require_launches<decoupled_look_back<blelloch, threads>>([](index_t) { return 1; });
  CHECK(levels(40000, 128) == 3);
  CHECK(levels(40000, 4 * 128) == 2);
}
