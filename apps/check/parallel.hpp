// SPDX-License-Identifier: Apache-2.0
// Parallel loops without the library: what checks it must not depend on it.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::apps {

/// The number of pieces worth splitting n items into.
inline index_t piece_count(index_t n) {
  constexpr index_t least = index_t{1} << 17;
  // Queried once: the answer is read from files.
  static index_t const cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<index_t>(n / least, 1, std::min<index_t>(cores, 32));
}

/// Calls work(self, k) for each k in [0, count), concurrently. `work` must not throw.
inline void all_at_once(index_t count, void const* self, void (*work)(void const*, index_t)) {
  std::vector<std::jthread> helpers;
  index_t k = 1;
  try {
    for (; k < count; ++k) helpers.emplace_back(work, self, k);
  } catch (std::system_error const&) {
    // Fewer threads are enough.
  }
  for (; k < count; ++k) work(self, k);
  if (count > 0) work(self, 0);
}

/// The same with work(k). Threads are compiled once, not for each `Work`.
template <class Work>
void all_at_once(index_t count, Work const& work) {
  all_at_once(count, &work,
              [](void const* self, index_t k) { (*static_cast<Work const*>(self))(k); });
}

/// Calls work(begin, end) for pieces of [0, n).
template <class Work>
void in_pieces(index_t n, Work const& work) {
  index_t const count = piece_count(n);
  all_at_once(count, [&](index_t k) { work(n * k / count, n * (k + 1) / count); });
}

/// std::stable_sort of pieces, merged by std::inplace_merge.
template <class T, class Less>
void stable_sort_in_pieces(T* items, index_t n, Less const& less) {
  index_t const count = piece_count(n);
  auto const at = [=](index_t k) { return items + n * std::min(k, count) / count; };
  all_at_once(count, [&](index_t k) { std::stable_sort(at(k), at(k + 1), less); });
  for (index_t width = 1; width < count; width *= 2) {
    all_at_once(ceil_div(count, 2 * width), [&](index_t pair) {
      index_t const k = pair * 2 * width;
      std::inplace_merge(at(k), at(k + width), at(k + 2 * width), less);
    });
  }
}

}  // namespace libscan::apps
