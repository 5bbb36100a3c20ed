// SPDX-License-Identifier: Apache-2.0
// Bank conflicts of sorts within segments of up to 1024 items, counted by racecheck, which only
// hears accesses of memory.
#include <libscan/segmented_sort.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;
namespace executor = libscan::simt::executor;

namespace {

/// Of a few segments of one length.
template <class Key>
executor::line_counts counts_of(int length, int segments) {
  std::vector<std::int32_t> offsets;
  for (int s = 0; s <= segments; ++s) offsets.push_back(s * length);
  index_t const n = offsets.back();
  random_words words(7);
  std::vector<Key> keys(static_cast<std::size_t>(n));
  for (auto& key : keys) key = static_cast<Key>(words());
  device_image<Key> in(keys), out(n);
  device_image<std::int32_t> bounds(offsets);
  executor::counts counts;
  executor::settings how;
  how.count = &counts;
  executor::scoped_settings const scope(how);
  workspace ws;
  segmented_sort_keys(ws, static_cast<Key const*>(in.data()), out.data(), n,
                      static_cast<std::int32_t const*>(bounds.data()), segments);
  return counts.total();
}

}  // namespace

TEMPLATE_TEST_CASE("of segments of one length, whichever, at most two meet in a bank", "",
                   std::uint8_t, std::uint32_t, std::uint64_t) {
  for (int length = 2; length <= 64; ++length) {
    INFO(length << " items");
    auto const counts = counts_of<TestType>(length, 256);
    CHECK(counts.shared_ideal > 0);
    CHECK(counts.shared_worst <= 2);
  }
}

TEMPLATE_TEST_CASE("in segments that one warp sorts, at most two lanes meet in a bank", "",
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  for (int const length : {65, 100, 128, 200, 256, 511, 512, 777, 1023, 1024}) {
    if (sizeof(TestType) == 8 && length > 512) continue;
    INFO(length << " items");
    auto const counts = counts_of<TestType>(length, 5);
    CHECK(counts.shared_ideal > 0);
    CHECK(counts.shared_worst <= 2);
  }
}

TEST_CASE("keys that words tell are read once and written once") {
  for (int const length : {20, 60, 256, 1024}) {
    INFO(length << " items");
    int const segments = 8192 / length;
    std::int64_t const items = std::int64_t{segments} * length;
    auto const counts = counts_of<std::uint32_t>(length, segments);
    CHECK(counts.global_sectors >= 2 * items * 4 / 32);
    CHECK(counts.global_sectors <= 2 * items * 4 / 32 * 5 / 4);  // and offsets
  }
}
