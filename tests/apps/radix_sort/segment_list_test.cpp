// SPDX-License-Identifier: Apache-2.0
// The searches of a block in a list of segments against std::lower_bound, for lists about as long
// as what the block can ask in one, two and three rounds.
#include <algorithm>
#include <apps/radix_sort/segment_list.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int block_threads = 32;
constexpr int few = 50;

/// Each block asks for the item of its number, among the segments from the `skipped`-th on.
struct search_kernel {
  __device__ void operator()(device::segment_list<std::int32_t> segments, index_t skipped,
                             index_t* found, index_t* found_near) const {
    index_t const item = blockIdx.x;
    index_t const first =
        device::first_from<block_threads>(segments, item, skipped, segments.count);
    index_t const near = device::first_near<block_threads>(segments, item, skipped, few);
    if (threadIdx.x != 0) return;
    found[item] = first;
    found_near[item] = near;
  }
};

void require_found(std::vector<std::int32_t> const& offsets, index_t skipped) {
  auto const segments = static_cast<index_t>(offsets.size()) - 1;
  index_t const items = offsets.back() + index_t{2};
  INFO(segments << " segments from number " << skipped << " on, of " << items - 2 << " items");
  device_image<std::int32_t> const bounds(offsets);
  device_image<index_t> found(items), found_near(items);
  simt::launch<search_kernel>({.blocks = static_cast<unsigned>(items), .threads = block_threads},
                              device::segment_list<std::int32_t>{bounds.data(), segments}, skipped,
                              found.data(), found_near.data());
  std::vector<index_t> expected;
  for (index_t item = 0; item < items; ++item) {
    expected.push_back(std::lower_bound(offsets.begin() + skipped, offsets.end() - 1, item) -
                       offsets.begin());
  }
  REQUIRE(difference(expected, found.read()) == "");
  REQUIRE(difference(expected, found_near.read()) == "");
}

}  // namespace

TEST_CASE("a block finds the first segment at an item or behind it") {
  random_words words(1661);
  std::vector<int> counts{500, 1000, 1088, 1089, 1090, 1200, 2178};
  for (int count = 0; count <= 100; ++count) counts.push_back(count);
  for (int const count : counts) {
    // Lengths of 1, of 0 ... 2, and hardly any segment with an item.
    for (std::uint64_t const rare : {1, 2, 40}) {
      std::vector<std::int32_t> offsets{0};
      for (int s = 0; s < count; ++s) {
        bool const empty = words.below(rare) != 0;
        auto const items = rare == 1 ? 1 : 1 + words.below(2);
        offsets.push_back(offsets.back() + (empty ? 0 : static_cast<std::int32_t>(items)));
      }
      require_found(offsets, 0);
      require_found(offsets, count / 3);
    }
  }
}
