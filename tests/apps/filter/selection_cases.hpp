// SPDX-License-Identifier: Apache-2.0
// What the tests of device filters by masks and of splits share: inputs with both masks of a
// choice, and outputs between canaries.
#pragma once

#include <vector>

#include <tests/apps/filter/device_inputs.hpp>

namespace libscan::test {

/// The items of a test, both masks of a choice among them, and what it divides them into.
template <class T>
struct masked_input {
  std::vector<T> items;
  division<T> expected;
  device_image<T> in;
  device_image<std::uint8_t> flags;
  device_image<std::uint32_t> bits;

  masked_input(index_t n, int per_mille, int offset)
      : masked_input(numbered_items<T>(n), choices(n, per_mille), offset) {}
  masked_input(std::vector<T> const& all, std::vector<std::uint8_t> const& chosen, int offset)
      : items(all),
        expected(all, chosen),
        in(all, offset),
        flags(as_flags(chosen), 16 - offset),
        bits(as_bits(chosen), offset % 4) {}

  index_t size() const { return static_cast<index_t>(items.size()); }
};

/// Outputs of exactly the size that is needed.
template <class T>
struct outputs {
  device_image<T> kept, rejected;
  device_image<index_t> positions, count;

  outputs(division<T> const& expected, int offset)
      : kept(expected.count(), offset),
        rejected(static_cast<index_t>(expected.rejected.size()), 16 - offset),
        positions(expected.count(), offset % 8),
        count(1) {}

  void require_count(index_t expected) {
    REQUIRE(count.read()[0] == expected);
    REQUIRE(count.damage() == "");
  }
};

template <class Item>
void require_same(std::vector<Item> const& expected, device_image<Item>& got) {
  REQUIRE(bit_difference(expected, got.read()) == "");
  REQUIRE(got.damage() == "");
}

inline constexpr int selectivities[] = {0, -1, 10, 500, 990, 1000};

/// Sizes: with all selectivities up to 300 items, with some for larger ones.
inline bool is_tried(index_t n, int per_mille) {
  return n <= 300 || per_mille == 500 || per_mille == selectivities[n % 6] || on_gpu;
}

}  // namespace libscan::test
