// SPDX-License-Identifier: Apache-2.0
// What the tests of the example kernels share: sizes around warps, blocks and tiles, launches,
// inputs, and items cut into the pieces that warps and blocks work on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <examples/kernels/frame.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

namespace examples::test {

using namespace libscan::test;

/// Calls body(n) for sizes around warps, blocks and tiles, under every schedule.
template <class Body>
void each_size(std::vector<index_t> const& sizes, Body body) {
  each_schedule(scaled(3, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sizes) {
      INFO(n << " items");
      body(n);
    }
  });
}

/// Sizes of kernels that take a thread for each item.
inline std::vector<index_t> const grid_sizes{1, 31, 32, 33, 255, 256, 257, 1024, 1999};

/// As many blocks as n items take, of `items` items each.
inline simt::launch_config grid_for(index_t n, index_t items = block_threads) {
  return {.blocks = static_cast<unsigned>(ceil_div(n, items)), .threads = block_threads};
}

/// A single block.
inline simt::launch_config const one_block{.blocks = 1, .threads = block_threads};

/// n random items from [low, high].
template <class T>
std::vector<T> numbers(index_t n, int low, int high, std::uint64_t stream = 0) {
  random_words words(stream * 4096 + static_cast<std::uint64_t>(n));
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    item =
        static_cast<T>(low + static_cast<int>(words.below(1 + static_cast<unsigned>(high - low))));
  }
  return items;
}

/// What a kernel left in `image`, and nowhere else.
template <class T>
std::vector<T> take(device_image<T>& image) {
  auto items = image.read();
  REQUIRE(image.damage() == "");
  return items;
}

/// As a kernel's pointer to what it only reads.
template <class T>
T const* input(device_image<T> const& image) {
  return image.data();
}

/// The `w`-th piece of `items`, cut every `length`; the last one may be shorter.
template <class T>
std::vector<T> piece(std::vector<T> const& items, std::size_t w, std::size_t length) {
  auto const begin = items.begin() + static_cast<std::ptrdiff_t>(w * length);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(length, items.size() - w * length))};
}

/// Their number.
template <class T>
std::size_t pieces(std::vector<T> const& items, std::size_t length) {
  return ceil_div(items.size(), length);
}

}  // namespace examples::test
