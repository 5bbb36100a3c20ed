// SPDX-License-Identifier: Apache-2.0
// The block collectives against their definitions: scans of every block size, tiles in and out.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/warp/odd_items.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Scans twice with the same storage: it must be reusable at once.
template <scan_kind Kind, class Op, int BlockThreads>
struct scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = BlockThreads;
  using shared_storage = block::scan_storage<T, BlockThreads>;

  __device__ void operator()(shared_storage& shared, T const* in, T* out, T* totals) const {
    for (int round = 0; round < 2; ++round) {
      int const i = round * BlockThreads + static_cast<int>(threadIdx.x);
      auto const scanned = Kind == scan_kind::inclusive
                               ? block::inclusive_scan(shared, in[i], Op{})
                               : block::exclusive_scan(shared, in[i], Op{});
      out[i] = scanned.prefix;
      totals[i] = scanned.total;
    }
  }
};

template <scan_kind Kind, class Op, int BlockThreads>
void require_block_scan() {
  using T = typename Op::value_type;
  auto const items = make_items<T>(2 * BlockThreads);
  device_image<T> in(items), out(2 * BlockThreads), totals(2 * BlockThreads);
  simt::launch<scan_kernel<Kind, Op, BlockThreads>>({.blocks = 1, .threads = BlockThreads},
                                                    static_cast<T const*>(in.data()), out.data(),
                                                    totals.data());
  auto const got = out.read(), got_totals = totals.read();
  for (int round = 0; round < 2; ++round) {
    auto const first = round * BlockThreads, last = first + BlockThreads;
    auto const expected = scan_oracle(
        Kind, std::vector<T>(items.begin() + first, items.begin() + last), Op{}, Op::identity());
    std::vector<T> const part(got.begin() + first, got.begin() + last);
    REQUIRE(difference(expected, {part, got_totals[static_cast<std::size_t>(first)]}) == "");
    REQUIRE(difference(std::vector<T>(BlockThreads, expected.total),
                       std::vector<T>(got_totals.begin() + first, got_totals.begin() + last)) ==
            "");
  }
}

template <int BlockThreads, class Op>
void require_block_scans() {
  INFO("block of " << BlockThreads);
  require_block_scan<scan_kind::inclusive, Op, BlockThreads>();
  require_block_scan<scan_kind::exclusive, Op, BlockThreads>();
}

template <class T>
struct copy_kernel {
  static constexpr int block_threads = 64;
  static constexpr int items_per_thread = 5;
  static constexpr int tile_items = block_threads * items_per_thread;
  using shared_storage = block::tile_storage<T, block_threads, items_per_thread>;

  /// Copies through registers; a thread's own items become its rank, to show they are consecutive.
  __device__ void operator()(shared_storage& shared, T const* in, T* out, int* owner,
                             int valid) const {
    T items[items_per_thread];
    block::load_tile(shared, in, index_t{0}, valid, T{99}, items);
    for (int k = 0; k < items_per_thread; ++k) {
      int const i = static_cast<int>(threadIdx.x) * items_per_thread + k;
      owner[i] = items[k] == (i < valid ? in[i] : T{99}) ? static_cast<int>(threadIdx.x) : -1;
    }
    block::store_tile(shared, out, index_t{0}, valid, items);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("block scans of whole warps keep operand order and give the total to all", "",
                   plus<std::int32_t>, compose, keep_last, tripwire, permute, long_compose) {
  each_schedule(scaled(4, 2), [](std::string const& schedule) {
    INFO(schedule);
    require_block_scans<32, TestType>();
    require_block_scans<64, TestType>();
    require_block_scans<96, TestType>();
    require_block_scans<256, TestType>();
    require_block_scans<1024, TestType>();
  });
}

TEMPLATE_TEST_CASE("a tile's items are consecutive in each thread and come back unchanged", "",
                   std::uint8_t, std::int32_t, double) {
  using kernel = copy_kernel<TestType>;
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const valid : {0, 1, 63, 64, 65, 319, 320}) {
      INFO("valid " << valid);
      auto const items = make_items<TestType>(kernel::tile_items);
      device_image<TestType> in(items), out(kernel::tile_items);
      device_image<int> owner(kernel::tile_items);
      simt::launch<kernel>({.blocks = 1, .threads = kernel::block_threads},
                           static_cast<TestType const*>(in.data()), out.data(), owner.data(),
                           valid);
      auto got = out.read();
      auto const owners = owner.read();
      for (int i = 0; i < kernel::tile_items; ++i) {
        REQUIRE(owners[static_cast<std::size_t>(i)] == i / kernel::items_per_thread);
      }
      REQUIRE(out.damage() == "");
      REQUIRE(out.written_from(valid) == "");
      got.resize(static_cast<std::size_t>(valid));
      REQUIRE(bit_difference(std::vector<TestType>(items.begin(), items.begin() + valid), got) ==
              "");
    }
  });
}
