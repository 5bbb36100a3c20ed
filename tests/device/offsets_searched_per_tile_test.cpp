// SPDX-License-Identifier: Apache-2.0
// How a block finds the segments of its tile: the search in offsets, with a probe a thread, and the
// head flags that it marks, by themselves.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/device/item_count.cuh>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/segments.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int threads = 32, tile_items = 64;

/// found[b] = the first offset that is not before b.
struct search_kernel {
  template <class Offset>
  __device__ void operator()(Offset const* offsets, index_t count, index_t bases,
                             index_t* found) const {
    for (index_t b = 0; b < bases; ++b) {
      index_t const at = device::first_offset<threads>(offsets, count, b);
      if (threadIdx.x == 0) found[b] = at;
      simt::sync_block();
    }
  }
};

/// flags[i]: whether item i of n is a head, tile by tile.
template <class Offset>
struct mark_kernel {
  using heads_type =
      device::tile_heads<device::offsets_searched_per_tile<Offset>, threads, tile_items>;
  using shared_storage = typename heads_type::shared_storage;
  __device__ void operator()(shared_storage& shared,
                             device::offsets_searched_per_tile<Offset> heads, index_t n,
                             std::uint8_t* flags) const {
    for (index_t base = 0; base < n; base += tile_items) {
      int const valid = device::valid_items<tile_items>(n, base);
      auto const found = heads_type::of(shared, heads, base, valid);
      for (int i = static_cast<int>(threadIdx.x); i < valid; i += threads) {
        flags[base + i] = static_cast<std::uint8_t>(found.template bits<1>(base + i, 1));
      }
      simt::sync_block();
    }
  }
};

/// Offsets of segments, many of them empty, in runs of `longest_run` at most.
template <class Offset>
std::vector<Offset> make_offsets(index_t segments, index_t n, std::uint64_t longest_run) {
  random_words words(static_cast<std::uint64_t>(segments) * 7 + longest_run);
  std::vector<Offset> offsets;
  while (static_cast<index_t>(offsets.size()) < segments) {
    auto const at = words.below(static_cast<std::uint64_t>(n) + 1);
    offsets.insert(offsets.end(), 1 + words.below(longest_run), static_cast<Offset>(at));
  }
  offsets.resize(static_cast<std::size_t>(segments));
  offsets.push_back(static_cast<Offset>(n));
  std::sort(offsets.begin(), offsets.end());
  offsets[0] = 0;
  return offsets;
}

}  // namespace

TEMPLATE_TEST_CASE("a block's search finds the first offset that is not before an item", "",
                   std::int32_t, std::uint64_t) {
  index_t const n = 100;
  for (index_t const count : {0, 1, 2, 31, 32, 33, 34, 65, 1023, 1024, 1025, 1100, 40000}) {
    for (std::uint64_t const run : {1, 40}) {
      auto const offsets = make_offsets<TestType>(count, n, run);
      std::vector<index_t> expected;
      for (index_t b = 0; b <= n + 1; ++b) {
        auto const at =
            std::lower_bound(offsets.begin(), offsets.begin() + count, static_cast<TestType>(b));
        expected.push_back(at - offsets.begin());
      }
      device_buffer<TestType> const in(offsets);
      device_buffer<index_t> const found(expected.size());
      simt::launch<search_kernel>({.blocks = 1, .threads = threads},
                                  static_cast<TestType const*>(in.data()), count,
                                  static_cast<index_t>(expected.size()), found.data());
      INFO(count << " offsets, runs of up to " << run);
      REQUIRE(found.copy() == expected);
    }
  }
}

TEMPLATE_TEST_CASE("a tile's head flags are those of its segments that are not empty", "",
                   std::int32_t, std::uint64_t) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    for (index_t const n : {1, 63, 64, 65, 300}) {
      for (index_t const segments : {1, 2, 30, 64, 200, 3000}) {
        for (std::uint64_t const run : {1, 5, 1000}) {
          auto const offsets = make_offsets<TestType>(segments, n, run);
          std::vector<std::uint8_t> expected(static_cast<std::size_t>(n), 0);
          for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
            if (offsets[s] < offsets[s + 1]) expected[static_cast<std::size_t>(offsets[s])] = 1;
          }
          device_buffer<TestType> const in(offsets);
          device_buffer<std::uint8_t> const flags(expected.size());
          simt::launch<mark_kernel<TestType>>(
              {.blocks = 1, .threads = threads},
              device::offsets_searched_per_tile<TestType>{in.data(), segments}, n, flags.data());
          INFO(schedule << ", " << n << " items, " << segments << " segments, runs of up to "
                        << run);
          REQUIRE(flags.copy() == expected);
        }
      }
    }
  });
}
