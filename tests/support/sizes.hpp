// SPDX-License-Identifier: Apache-2.0
// The sizes at which scans go wrong.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include <libscan/core/types.hpp>
#include <tests/support/few_types.hpp>

namespace libscan::test {

/// Whether the build is instrumented and tests should be smaller (environment variable
/// LIBSCAN_TEST_REDUCED).
inline bool reduced() { return std::getenv("LIBSCAN_TEST_REDUCED") != nullptr; }

/// `full`, or `small` in reduced runs.
inline int scaled(int full, int small) { return reduced() ? small : full; }

/// Whether the code under test is not optimized: in the quick set, and under AddressSanitizer and
/// ThreadSanitizer.
#if defined(LIBSCAN_TEST_QUICK) || defined(LIBSCAN_TEST_UNOPTIMIZED)
inline constexpr bool unoptimized = true;
#else
inline constexpr bool unoptimized = false;
#endif

/// `all`, or `quick` where the code under test is not optimized.
constexpr index_t sized(index_t all, index_t quick) { return unoptimized ? quick : all; }

/// The list `all`, or the shorter list `quick` where the code for the CPU is not optimized.
template <class T>
std::vector<T> sized_list(std::initializer_list<T> all, std::initializer_list<T> quick) {
#ifdef __CUDACC__
  static_cast<void>(quick);
  return all;
#else
  return unoptimized ? quick : all;
#endif
}

/// For tiny tuning, where 200 items are many tiles: every n in 0..200; in reduced runs 0..34, and
/// some of the others up to 200; in the quick set 0..17, 31..34 and fewer others.
inline std::vector<index_t> tiny_sizes() {
  std::vector<index_t> sizes;
  index_t const step = quick_types && reduced() ? 19 : scaled(1, 13);
  for (index_t n = 0; n < 200; n += n < 34 ? 1 : step) {
    if (quick_types && reduced() && n == 18) n = 31;
    sizes.push_back(n);
  }
  sizes.push_back(200);
  return sizes;
}

/// The ladder for tiles (or chunks) of `tile_items` in blocks of `block_threads`: nothing, one
/// item, around a warp, a block, one and two tiles, around a look-back window of 32 tiles, 33 and
/// 65 tiles, and a prime near a million. Ascending, without repetitions, at most `limit`.
inline std::vector<index_t> size_ladder(index_t tile_items, index_t block_threads = 256,
                                        index_t limit = index_t{1} << 62) {
  std::vector<index_t> sizes{0, 1, 2, 31, 32, 33, 33 * tile_items, 65 * tile_items, 1000003};
  for (index_t const edge : {block_threads, tile_items, 2 * tile_items, 32 * tile_items}) {
    for (index_t const step : {-1, 0, 1}) sizes.push_back(std::max<index_t>(0, edge + step));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  sizes.erase(std::upper_bound(sizes.begin(), sizes.end(), limit), sizes.end());
  return sizes;
}

}  // namespace libscan::test
