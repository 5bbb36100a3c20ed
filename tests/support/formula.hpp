// SPDX-License-Identifier: Apache-2.0
// Inputs whose sums are known in closed form, for sizes at which an oracle is too slow or does not
// fit in host memory.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::test {

/// A number that looks random, different for every i.
LIBSCAN_HOST_DEVICE constexpr std::uint64_t scrambled(index_t i) {
  std::uint64_t x = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  return x ^ (x >> 31);
}

/// Unsigned items that look random, whose wrapping sums are known: item i is the step from one
/// random number to the next.
template <class T>
struct random_steps {
  /// init + item 0 + ... + item i - 1, where init is before(0).
  LIBSCAN_HOST_DEVICE constexpr T before(index_t i) const { return static_cast<T>(scrambled(i)); }
  /// item begin + ... + item end - 1.
  LIBSCAN_HOST_DEVICE constexpr T sum(index_t begin, index_t end) const {
    return static_cast<T>(before(end) - before(begin));
  }
  LIBSCAN_HOST_DEVICE constexpr T operator()(index_t i) const { return sum(i, i + 1); }
};

/// Items with known sums: the first i items add up to i p / q, rounded down. Each item is p / q,
/// rounded down, or one more.
struct even_steps {
  index_t p, q;
  LIBSCAN_HOST_DEVICE constexpr index_t before(index_t i) const { return i * p / q; }
  LIBSCAN_HOST_DEVICE constexpr index_t operator()(index_t i) const {
    return before(i + 1) - before(i);
  }
};

}  // namespace libscan::test
