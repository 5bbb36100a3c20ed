// SPDX-License-Identifier: Apache-2.0
// Ranks whose items are in device memory, for tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <libscan/core/engine.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/device_queue.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {

/// A part of an array on the machine of a rank.
template <class T>
struct on_device : detail::device_array<T> {
  on_device(ranks const& on, std::span<T const> items)
      : detail::device_array<T>(on.queue(), static_cast<index_t>(items.size())) {
    this->upload(items);
  }
};

/// An engine for each of `ranks` ranks: all of them on one GPU, or executors of different
/// schedules.
inline std::vector<engine> machines_for(int ranks) {
  auto const found = machines();
  REQUIRE(!found.empty());
  std::vector<engine> all;
  for (int r = 0; r < ranks; ++r) {
    all.push_back(found[static_cast<std::size_t>(r) % found.size()]);
  }
  return all;
}

/// All items of an array.
template <class T>
device_span<T> span_of(detail::device_array<T> const& items) {
  return {items.data(), items.size()};
}

}  // namespace libscan::test
