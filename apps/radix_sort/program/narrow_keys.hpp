// SPDX-License-Identifier: Apache-2.0
// Integers as keys of 32 bits, if they fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/on_threads.hpp>

namespace libscan::apps {

/// The distances of integers from the smallest one; null if one of them is 2^32 or more.
template <class T>
std::unique_ptr<lazy_buffer<std::uint32_t>> narrowed(std::span<T const> keys, int threads) {
  constexpr std::size_t part = std::size_t{1} << 16;
  std::size_t const parts = (keys.size() + part - 1) / part;
  auto const part_of = [&](std::size_t p) {
    return keys.subspan(p * part, std::min(part, keys.size() - p * part));
  };
  std::vector<T> lows(parts), highs(parts);
  for_each_on_threads(parts, threads, [&](std::size_t p) {
    T low = keys[p * part], high = low;
    for (T const key : part_of(p)) {
      low = key < low ? key : low;
      high = key > high ? key : high;
    }
    lows[p] = low;
    highs[p] = high;
  });
  if (parts == 0) return nullptr;
  auto const first = static_cast<std::uint64_t>(*std::ranges::min_element(lows));
  auto const last = static_cast<std::uint64_t>(*std::ranges::max_element(highs));
  if (last - first > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  auto result = std::make_unique<lazy_buffer<std::uint32_t>>(keys.size());
  std::span<std::uint32_t> const to = result->items();
  for_each_on_threads(parts, threads, [&](std::size_t p) {
    std::size_t at = p * part;
    for (T const key : part_of(p)) {
      to[at++] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) - first);
    }
  });
  return result;
}

}  // namespace libscan::apps
