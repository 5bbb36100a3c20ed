// SPDX-License-Identifier: Apache-2.0
// The textbook's compactions of flags against a loop.
#include <cstdint>
#include <vector>

#include <apps/filter/device/textbook_filter.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using filter = void (*)(std::uint8_t const*, index_t, index_t*, index_t*);

/// Flags that are 0 or any other byte, `kept` of 256 set.
std::vector<std::uint8_t> flags_of(index_t n, int kept) {
  std::vector<std::uint8_t> flags;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t const word = (i + 1) * 2654435761u >> 16;
    bool const set = static_cast<int>(word & 255) < kept;
    flags.push_back(set ? static_cast<std::uint8_t>(1 + word % 255) : std::uint8_t{0});
  }
  return flags;
}

void require_positions(filter find, std::vector<std::uint8_t> const& flags) {
  std::vector<index_t> expected;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) expected.push_back(static_cast<index_t>(i));
  }
  auto const n = static_cast<index_t>(flags.size());
  device_image<std::uint8_t> in(flags);
  device_image<index_t> positions(n), count(1);
  find(in.data(), n, positions.data(), count.data());
  auto got = positions.read();
  REQUIRE(count.read()[0] == static_cast<index_t>(expected.size()));
  got.resize(expected.size());
  REQUIRE(got == expected);
  REQUIRE(positions.damage() + count.damage() == "");
}

}  // namespace

TEST_CASE("the textbook's compactions find the positions that a loop finds") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {1, 31, 32, 255, 256, 257, 1000, 20000}) {
      for (int const kept : {0, 1, 128, 256}) {
        INFO("n = " << n << ", " << kept << " of 256 kept");
        auto const flags = flags_of(n, kept);
        require_positions(device::positions_by_scatter, flags);
        require_positions(device::positions_by_ballots, flags);
      }
    }
  });
}
