// SPDX-License-Identifier: Apache-2.0
// The table of counts by itself: tiles that look back while others still publish; any of these may
// tell their prefix or only their own count.
#include <cstdint>
#include <string>
#include <vector>

#include <apps/radix_sort/device/sort_plan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// A thread a digit. The first warp publishes the counts of all tiles, from the last to the first,
/// and the prefix of tile `known`; the second looks back from the last tile and from tile 0.
struct look_back_kernel {
  __device__ void operator()(unsigned* words, index_t size, unsigned const* counts, int tiles,
                             int known, unsigned known_prefix, unsigned* found,
                             unsigned* published) const {
    device::digit_table const table(words, size);
    table.clear(threadIdx.x, blockDim.x);
    simt::sync_block();
    int const digit = simt::lane_id() * 8 + 7;
    if (threadIdx.x < simt::warp_size) {
      for (int tile = tiles - 1; tile >= 0; --tile) table.publish(tile, digit, counts[tile]);
      if (known > 0) table.publish_prefix(known, digit, known_prefix);
    } else {
      found[simt::lane_id()] = table.look_back(tiles - 1, digit, counts[tiles - 1]);
      published[simt::lane_id()] = table.read(tiles - 1, digit);
      found[simt::warp_size + simt::lane_id()] = table.look_back(0, digit, counts[0]);
      // Other digits are not its business.
      published[simt::warp_size + simt::lane_id()] = table.read(tiles - 1, digit - 1);
    }
  }
};

struct claim_kernel {
  __device__ void operator()(unsigned* words, index_t size, int* claimed) const {
    device::digit_table const table(words, size);
    claimed[threadIdx.x] = table.claim();
  }
};

}  // namespace

TEST_CASE("a table's counts add up, whichever tile tells its prefix") {
  each_schedule(4, [](std::string const& schedule) {
    for (int const tiles : {1, 2, 3, 33, 70}) {
      for (int const known : {0, 1, 2, 31, 60}) {
        if (known >= tiles - 1 && known > 0) continue;
        INFO(schedule << ", " << tiles << " tiles, prefix of tile " << known);
        random_words words(static_cast<std::uint64_t>(tiles));
        std::vector<unsigned> counts, before{0};
        for (int t = 0; t < tiles; ++t) {
          bool const none = words.below(4) == 0;
          counts.push_back(none ? 0 : static_cast<unsigned>(words.below((1u << 30) / 80)));
          before.push_back(before.back() + counts.back());
        }
        index_t const size = device::digit_table::words(tiles);
        device_buffer<unsigned> memory(static_cast<std::size_t>(size));
        memory.fill(0x5a);
        device_buffer<unsigned> const in(counts), found(64), published(64);
        auto const at = static_cast<std::size_t>(known);
        simt::launch<look_back_kernel>({.blocks = 1, .threads = 64}, memory.data(), size,
                                       static_cast<unsigned const*>(in.data()), tiles, known,
                                       before[at + 1], found.data(), published.data());
        auto const got = found.copy(), reported = published.copy();
        for (std::size_t lane = 0; lane < 32; ++lane) {
          REQUIRE(got[lane] == before[static_cast<std::size_t>(tiles) - 1]);
          REQUIRE(got[32 + lane] == 0);
          if (tiles > 1) REQUIRE((reported[lane] >> 30) == 2);
          if (tiles > 1) REQUIRE((reported[lane] & 0x3fffffffU) == before.back());
          REQUIRE(reported[32 + lane] == 0);
        }
      }
    }
  });
}

TEST_CASE("every thread claims a tile of its own") {
  each_schedule(2, [](std::string const& schedule) {
    INFO(schedule);
    device_buffer<unsigned> const memory(
        std::vector<unsigned>(static_cast<std::size_t>(device::digit_table::words(1)), 0));
    device_buffer<int> const claimed(64);
    simt::launch<claim_kernel>({.blocks = 1, .threads = 64}, memory.data(),
                               device::digit_table::words(1), claimed.data());
    std::vector<int> times(64, 0);
    for (int const tile : claimed.copy()) {
      REQUIRE((0 <= tile && tile < 64));
      REQUIRE(++times[static_cast<std::size_t>(tile)] == 1);
    }
  });
}
