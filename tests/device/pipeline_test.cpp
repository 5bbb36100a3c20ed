// SPDX-License-Identifier: Apache-2.0
// How the pipeline fetches its tiles, watched in the executor, where copies take their time.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/device/scan_work.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using tuning = tiny_pipeline_tuning;
using item = std::int32_t;
using plain_work = device::pipelined_scan<scan_kind::inclusive, item, item*, plus<item>, tuning>;

/// A scan on one block, whose tiles therefore come in order, that looks at each fetch whether tile
/// number k - max_tiles_in_flight has arrived.
struct watched_work : plain_work {
  index_t n;
  int* early;  // fetches before that

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    index_t const k = base / tile_items;
    index_t const earlier = k - tuning::max_tiles_in_flight;
    index_t const begin = earlier * tile_items;
    if (earlier >= 0 && begin < n) {
      stage_type& other = (&stage - k % tuning::stages)[earlier % tuning::stages];
      int const end = stage_type::copied(in + begin, device::valid_items<tile_items>(n, begin)).end;
      if (end > 0 && other.items(in + begin)[end - 1] != in[begin + end - 1]) ++*early;
    }
    plain_work::fetch(stage, base, valid, full, copy);
  }
};

/// A warp fills its only stage again and again, with tiles of different lengths.
struct refill_kernel {
  static constexpr int tile_items = 64;
  using stage_type = device::staged_tile<item, tile_items>;
  struct shared_storage {
    stage_type stage;
    simt::mbarrier full;
  };
  __device__ void operator()(shared_storage& shared, item const* in, int const* lengths, int tiles,
                             item* out) const {
    int const lane = simt::lane_id();
    if (lane == 0) {
      shared.full.init(1);
      simt::fence_mbarrier_init();
    }
    simt::sync_block();
    for (int k = 0; k < tiles; ++k) {
      item const* const tile = in + k * tile_items;
      if (lane == 0) shared.stage.fetch(tile, lengths[k], shared.full);
      shared.full.wait(static_cast<unsigned>(k) % 2);
      shared.stage.copy_edges(tile, lengths[k], 0, lengths[k]);
      item const* const staged = shared.stage.items(tile);
      for (int i = lane; i < lengths[k]; i += simt::warp_size) {
        out[k * tile_items + i] = staged[i];
      }
      simt::sync_warp();
    }
  }
};

}  // namespace

TEST_CASE("a stage is filled again after a tile that did not end with its copy") {
  std::vector<int> const lengths{64, 13, 64, 1, 64, 63, 62, 64, 30, 64};
  auto const tiles = static_cast<int>(lengths.size());
  index_t const n = index_t{tiles} * refill_kernel::tile_items;
  std::vector<item> numbers;
  for (index_t i = 0; i < n; ++i) numbers.push_back(static_cast<item>(i + 1));
  each_schedule(3, [&](std::string const& schedule) {
    for (int offset = 0; offset < 4; ++offset) {
      INFO(schedule << ", offset " << offset);
      device_image<item> in(numbers, offset), out(n);
      device_image<int> valid(lengths);
      simt::launch<refill_kernel>({.blocks = 1, .threads = simt::warp_size},
                                  static_cast<item const*>(in.data()),
                                  static_cast<int const*>(valid.data()), tiles, out.data());
      auto const got = out.read();
      for (index_t i = 0; i < n; ++i) {
        auto const at = static_cast<std::size_t>(i);
        auto const tile = static_cast<std::size_t>(i / refill_kernel::tile_items);
        if (i % refill_kernel::tile_items >= lengths[tile]) continue;
        if (got[at] != numbers[at]) FAIL_CHECK("item " << i << ": " << got[at]);
      }
    }
  });
}

TEST_CASE("no tile is fetched before the one `max_tiles_in_flight` before it has arrived") {
  STATIC_REQUIRE(tuning::max_tiles_in_flight < tuning::stages);
  for (unsigned s = 1; s <= static_cast<unsigned>(scaled(200, 10)); ++s) {
    simt::executor::settings how = simt::executor::seeded(seed() + s);
    how.multiprocessors = 1;
    simt::executor::scoped_settings const one_block{how};
    for (index_t const tiles : {1, 2, 3, 5, 20}) {
      index_t const n = tiles * plain_work::tile_items - 5;
      INFO("seed " << s << ", n = " << n);
      std::vector<item> numbers(static_cast<std::size_t>(n));
      for (index_t i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = item(i + 1);
      device_image<item> in(numbers), out(n);
      device_image<int> early(std::vector<int>{0});
      workspace ws;
      std::byte* const memory = ws.reserve(device::pipeline_bytes<item>(tiles));
      watched_work const work{{in.data(), out.data(), {}, 0, nullptr}, n, early.data()};
      device::run_pipeline<tuning>(memory, ws.stream(), work, n);
      REQUIRE(early.read()[0] == 0);
      item sum = 0;
      for (item& x : numbers) x = sum += x;
      REQUIRE(out.read() == numbers);
    }
  }
}
