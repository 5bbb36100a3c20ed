// SPDX-License-Identifier: Apache-2.0
// The costs that docs/collectives.md states, counted in the executor. The test tree.docs_page
// reads the numbers of the calls of `warp_costs` and `block_costs` below, and compares them with
// the page.
#include <string>
#include <type_traits>

#include <libscan/block/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/textbook/block/catalog.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::block;
namespace executor = libscan::simt::executor;

namespace {

constexpr int threads = 256;

int global_tile[4 * threads];

/// Shared memory of a collective that takes none.
struct no_storage {};

/// Calls one collective, once.
template <class Storage, class Call>
struct call_kernel {
  using shared_storage = Storage;
  __device__ void operator()(shared_storage& shared) const { Call{}(shared); }
};

/// What one call of a collective, by a block of `Threads`, costs.
template <int Threads, class Storage, class Call>
executor::line_counts costs(Call) {
  executor::counts counts;
  executor::settings how;
  how.count = &counts;
  executor::scoped_settings const scope(how);
  simt::launch<call_kernel<Storage, Call>>({.blocks = 1, .threads = Threads});
  return counts.total();
}

template <class Storage>
constexpr int bytes = std::is_empty_v<Storage> ? 0 : static_cast<int>(sizeof(Storage));

/// A collective of one warp: votes, shuffles and warp barriers, and shared bytes of the warp.
template <class Storage, class Call>
void warp_costs(std::string const& name, int warp_wide, int shared_bytes, Call call) {
  INFO(name);
  auto const counted = costs<32, Storage>(call);
  CHECK(counted.warp_calls == warp_wide);
  CHECK(counted.barriers == 0);
  CHECK(bytes<Storage> == shared_bytes);
}

/// A collective of a block of 256 threads and 4-byte items: barriers, and shared bytes.
template <class Storage, class Call>
void block_costs(std::string const& name, int barriers, int shared_bytes, Call call) {
  INFO(name);
  CHECK(costs<threads, Storage>(call).barriers == barriers);
  CHECK(bytes<Storage> == shared_bytes);
}

template <class Algorithm>
void textbook_costs(std::string const& name, int inclusive, int exclusive, int shared_bytes) {
  using storage = typename Algorithm::template storage<int, threads>;
  block_costs<storage>(name, inclusive, shared_bytes, [](auto& shared) {
    int x[Algorithm::items_per_thread] = {};
    textbook::scan_tile<scan_kind::inclusive, Algorithm>(shared, x, plus<int>{});
  });
  block_costs<storage>(name, exclusive, shared_bytes, [](auto& shared) {
    int x[Algorithm::items_per_thread] = {};
    textbook::scan_tile<scan_kind::exclusive, Algorithm>(shared, x, plus<int>{});
  });
}

}  // namespace

TEST_CASE("warp collectives cost what the page says") {
  using none = no_storage;
  using shared_scan_storage = warp::shared_scan_storage<int>;
  warp_costs<none>("warp::hardware_lane_masks", 0, 0,
                   [](auto&) { warp::hardware_lane_masks::lt(); });
  warp_costs<none>("warp::arithmetic_lane_masks", 0, 0,
                   [](auto&) { warp::arithmetic_lane_masks::lt(); });
  warp_costs<none>("warp::count", 1, 0, [](auto&) { warp::count(true); });
  warp_costs<none>("warp::binary_scan", 1, 0, [](auto&) { warp::binary_scan(true); });
  warp_costs<none>("warp::bitwise_scan<4>", 4, 0, [](auto&) { warp::bitwise_scan<4>(1u); });
  warp_costs<none>("warp::inclusive_scan", 6, 0,
                   [](auto&) { warp::inclusive_scan(1, plus<int>{}); });
  warp_costs<none>("warp::exclusive_scan", 7, 0,
                   [](auto&) { warp::exclusive_scan(1, plus<int>{}); });
  warp_costs<shared_scan_storage>("warp::shared_scan", 12, 256,
                                  [](auto& shared) { warp::shared_scan(shared, 1, plus<int>{}); });
  warp_costs<none>("warp::segmented_binary_scan, a word of head flags", 1, 0,
                   [](auto&) { warp::segmented_binary_scan(true, 5u); });
  warp_costs<none>("warp::segmented_binary_scan, own head flags", 2, 0,
                   [](auto&) { warp::segmented_binary_scan(true, false); });
  warp_costs<none>("warp::segmented_scan, a word of head flags", 7, 0,
                   [](auto&) { warp::segmented_scan(1, 5u, plus<int>{}); });
  warp_costs<none>("warp::segmented_scan, own head flags", 8, 0,
                   [](auto&) { warp::segmented_scan(1, false, plus<int>{}); });
}

TEST_CASE("block collectives cost what the page says") {
  using none = no_storage;
  block_costs<none>("block::count", 1, 0, [](auto&) { block::count(true); });
  block_costs<none>("block::all", 1, 0, [](auto&) { block::all(true); });
  block_costs<none>("block::any", 1, 0, [](auto&) { block::any(true); });
  block_costs<none>("block::sum_by_counts<4>", 4, 0, [](auto&) { block::sum_by_counts<4>(1u); });
  block_costs<tree_reduce_storage<int, threads>>("block::tree_reduce", 10, 2088, [](auto& shared) {
    block::tree_reduce(shared, 1, plus<int>{});
  });
  block_costs<binary_scan_storage<threads>>("block::binary_scan", 3, 36,
                                            [](auto& shared) { block::binary_scan(shared, true); });
  using scan_storage = block::scan_storage<int, threads>;
  block_costs<scan_storage>("block::inclusive_scan", 2, 32,
                            [](auto& shared) { block::inclusive_scan(shared, 1, plus<int>{}); });
  block_costs<scan_storage>("block::exclusive_scan", 2, 32,
                            [](auto& shared) { block::exclusive_scan(shared, 1, plus<int>{}); });
  block_costs<scan_storage>("block::scan_of_warps", 2, 32,
                            [](auto& shared) { block::scan_of_warps(shared, 1, plus<int>{}); });
  using segmented_storage = block::segmented_scan_storage<int, threads>;
  block_costs<segmented_storage>("block::segmented_scan", 2, 64, [](auto& shared) {
    block::segmented_scan(shared, 1, false, plus<int>{});
  });
  block_costs<segmented_storage>("block::segmented_binary_scan", 2, 64, [](auto& shared) {
    block::segmented_binary_scan(shared, true, false);
  });
  block_costs<binary_scan_storage<threads>>("block::split", 3, 36,
                                            [](auto& shared) { block::split(shared, true); });
  // 3 barriers of a split and 2 of its own, for each of 32 bits
  block_costs<radix_sort_storage<unsigned, threads>>(
      "block::radix_sort", 160, 1060, [](auto& shared) { block::radix_sort(shared, 1u); });
  using tile_storage = block::tile_storage<int, threads, 4>;
  block_costs<tile_storage>("block::load_tile", 2, 4224, [](auto& shared) {
    int items[4];
    block::load_tile(shared, global_tile, 0, 4 * threads, 0, items);
  });
  block_costs<tile_storage>("block::store_tile", 2, 4224, [](auto& shared) {
    int items[4] = {};
    block::store_tile(shared, global_tile, 0, 4 * threads, items);
  });
}

TEST_CASE("textbook scans cost what the page says") {
  using namespace textbook;
  textbook_costs<sequential>("sequential", 3, 3, 1028);
  textbook_costs<quadratic>("quadratic", 3, 3, 1028);
  textbook_costs<hillis_steele>("hillis_steele", 10, 11, 2052);
  textbook_costs<kogge_stone>("kogge_stone", 18, 19, 1028);
  textbook_costs<kogge_stone_double_buffered>("kogge_stone_double_buffered", 10, 10, 2048);
  textbook_costs<blelloch<dense>>("blelloch<dense>", 20, 20, 2052);
  textbook_costs<blelloch<padded<32>>>("blelloch<padded<32>>", 20, 20, 2112);
  textbook_costs<blelloch<fully_padded<32>>>("blelloch<fully_padded<32>>", 20, 20, 2112);
  textbook_costs<brent_kung>("brent_kung", 19, 20, 2052);
  using shift_storage = textbook::shift_storage<int, threads>;
  block_costs<shift_storage>(
      "block::textbook::exclusive_from_inclusive", 2, 1024,
      [](auto& shared) { textbook::exclusive_from_inclusive(shared, 1, plus<int>{}); });
  block_costs<shift_storage>(
      "block::textbook::inclusive_from_exclusive", 2, 1024,
      [](auto& shared) { textbook::inclusive_from_exclusive(shared, 1, 256); });
}

TEST_CASE("barriers and bytes of other blocks follow the page's formulas") {
  struct sixteen_bytes {
    double a, b;
  };
  // w = 3 warps of n = 96 threads, and w = 32 of 1024; items of s = 16 bytes
  CHECK(sizeof(binary_scan_storage<96>) == 4 * (3 + 1));
  CHECK(sizeof(binary_scan_storage<1000>) == 4 * (32 + 1));
  CHECK(sizeof(block::scan_storage<sixteen_bytes, 96>) == 16 * 3);
  CHECK(sizeof(block::scan_storage<sixteen_bytes, 1024>) == 16 * 32);
  CHECK(sizeof(block::segmented_scan_storage<double, 1024>) == (8 + 8) * 32);
  CHECK(sizeof(tree_reduce_storage<sixteen_bytes, 96>) == 16 * (2 * 96 + 10));
  CHECK(sizeof(radix_sort_storage<unsigned, 1024>) == 4 * (32 + 1) + 4 * 1024);
  CHECK(sizeof(block::tile_storage<sixteen_bytes, 96, 5>) == 16 * (480 + 480 / 32));
  auto const barriers_of_tree = [](auto n) {
    constexpr int block_threads = decltype(n)::value;
    return costs<block_threads, tree_reduce_storage<int, block_threads>>(
               [](auto& shared) { block::tree_reduce(shared, 1, plus<int>{}); })
        .barriers;
  };
  CHECK(barriers_of_tree(std::integral_constant<int, 1>{}) == 2 + 0);  // 2 + ceil(log2 n)
  CHECK(barriers_of_tree(std::integral_constant<int, 96>{}) == 2 + 7);
  CHECK(barriers_of_tree(std::integral_constant<int, 1024>{}) == 2 + 10);
}
