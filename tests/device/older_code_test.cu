// SPDX-License-Identifier: Apache-2.0
// Code compiled for older GPUs only, as it runs on a new one: whether a kernel can use what is new
// is a question to the code, not to the GPU.
#include <cstdint>
#include <numeric>
#include <vector>

#include <libscan/binary_scan.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using item = std::int32_t;

// Of so many items, code for sm_90 uses the pipeline.
constexpr index_t n = (index_t{1} << 25) + 5;

}  // namespace

TEST_CASE("scans beyond the pipeline's least size agree with a loop") {
  std::vector<item> items(n);
  for (index_t i = 0; i < n; ++i) items[i] = static_cast<item>(i % 7);
  device_image<item> const in(items);
  device_image<item> out(n);
  workspace ws;

  std::vector<item> expected(n);
  std::exclusive_scan(items.begin(), items.end(), expected.begin(), 3);
  exclusive_scan(ws, in.data(), out.data(), n, plus<item>{}, nullptr, 3);
  REQUIRE(out.read() == expected);

  index_t const length = 1001;
  for (index_t i = 0; i < n; ++i) {
    expected[i] = i % length == 0 ? items[i] : expected[i - 1] + items[i];
  }
  inclusive_segmented_scan(ws, in.data(), out.data(), equal_segments{length}, n, plus<item>{});
  REQUIRE(out.read() == expected);

  std::vector<std::uint32_t> const words(static_cast<std::size_t>(ceil_div(n, index_t{32})),
                                         0x80000001u);
  for (index_t i = 0; i < n; ++i) expected[i] = static_cast<item>(i / 32 * 2 + (i % 32 > 0));
  device_image<std::uint32_t> const mask(words);
  exclusive_binary_scan(ws, bit_mask{mask.data()}, out.data(), n);
  REQUIRE(out.read() == expected);
}
