// SPDX-License-Identifier: Apache-2.0
// What the host API refuses: invalid offsets and indices. Internal.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1::detail {

/// Threads for work on the host, for any engine.
inline int host_threads(engine const& on) {
  return on.runs_kernels() ? cpu::default_threads() : on.threads();
}

/// The first k of [0, n) with wrong(k); n if there is none.
template <class Wrong>
index_t first_wrong(int threads, index_t n, Wrong const& wrong) {
  cpu::detail::pieces const all(threads, n);
  std::vector<index_t> first(static_cast<std::size_t>(all.count) + 1, n);
  cpu::detail::for_each_of(threads, all.count, [&](int, index_t p) {
    index_t count =
        0;  // counted over all, without leaving the loop early, so that compilers vectorize it
    for (index_t k = all.begin(p); k < all.end(p); ++k) count += wrong(k) ? 1 : 0;
    if (count == 0) return;
    index_t k = all.begin(p);
    while (!wrong(k)) ++k;
    first[static_cast<std::size_t>(p)] = k;
  });
  return *std::min_element(first.begin(), first.end());
}

/// Throws `invalid_argument` for an index outside [0, bound).
inline void check_indices(char const* who, int threads, std::int32_t const* indices, index_t n,
                          index_t bound) {
  auto const outside = [=, end = static_cast<std::uint32_t>(bound)](index_t k) {
    return static_cast<std::uint32_t>(indices[k]) >= end;
  };
  index_t const k = first_wrong(threads, n, outside);
  if (k == n) return;
  throw invalid_argument(std::string(who) + ": index " + std::to_string(indices[k]) + " of entry " +
                         std::to_string(k) + "; expected 0 to " + std::to_string(bound - 1));
}

/// Throws `invalid_argument` unless n + 1 offsets ascend from 0 to `last`.
inline void check_offsets(char const* who, int threads, std::int64_t const* offsets, index_t n,
                          index_t last) {
  if (offsets[0] != 0 || offsets[n] != last) {
    throw invalid_argument(std::string(who) + ": offsets from " + std::to_string(offsets[0]) +
                           " to " + std::to_string(offsets[n]) + "; expected 0 to " +
                           std::to_string(last));
  }
  index_t const r = first_wrong(threads, n, [=](index_t k) { return offsets[k + 1] < offsets[k]; });
  if (r == n) return;
  throw invalid_argument(std::string(who) + ": row " + std::to_string(r) + " from " +
                         std::to_string(offsets[r]) + " to " + std::to_string(offsets[r + 1]) +
                         "; expected ascending offsets");
}

}  // namespace libscan::inline v1::detail
