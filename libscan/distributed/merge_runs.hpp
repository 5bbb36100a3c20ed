// SPDX-License-Identifier: Apache-2.0
// Merging sorted runs on CPU threads: pairs of neighbors, pass after pass. Each thread finds its
// part of a merge by a binary search (merge path).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1 {

namespace detail {

/// How many of a[0..m-1] are among the first k items of the stable merge of a and b[0..n-1].
template <class T, class Less>
index_t merge_path(T const* a, index_t m, T const* b, index_t n, index_t k, Less const& less) {
  index_t low = std::max(index_t{0}, k - n), high = std::min(k, m);
  while (low < high) {
    index_t const taken = low + (high - low) / 2;
    if (less(b[k - taken - 1], a[taken])) {
      high = taken;
    } else {
      low = taken + 1;
    }
  }
  return low;
}

/// Merges the two runs [begin, middle) and [middle, end) of `in` into items [from, to) of `out`.
template <class T, class Less>
void merge_part(T const* in, index_t begin, index_t middle, index_t end, T* out, index_t from,
                index_t to, Less const& less) {
  T const* const a = in + begin;
  T const* const b = in + middle;
  index_t const m = middle - begin, n = end - middle;
  index_t const i = detail::merge_path(a, m, b, n, from - begin, less);
  index_t const i_end = detail::merge_path(a, m, b, n, to - begin, less);
  index_t const j = from - begin - i, j_end = to - begin - i_end;
  std::merge(a + i, a + i_end, b + j, b + j_end, out + from, less);
}

}  // namespace detail

/// Merges sorted runs that follow each other in `items`; `ends` are their ends, ascending. Equal
/// items keep the order of their runs: the merge is stable. `space` is as large as `items`.
/// Result: where the merged items are, `items` or `space`.
/// Types: trivially copyable items; less(a, b) as for std::merge.
template <class T, class Less>
T* merge_runs(int threads, std::vector<index_t> ends, T* items, T* space, Less const& less) {
  constexpr index_t piece = index_t{1} << 15;
  while (ends.size() > 1) {
    std::vector<index_t> merged;
    for (std::size_t r = 1; r < ends.size() + 1; r += 2) {
      merged.push_back(ends[std::min(r, ends.size() - 1)]);
    }
    cpu::sum_chunks(
        threads, ends.back(), piece, [] { return 0; },
        [&](int, cpu::chunk const& c) {
          auto pair =
              static_cast<std::size_t>(std::ranges::upper_bound(merged, c.begin) - merged.begin());
          for (index_t at = c.begin; at < c.end; ++pair) {
            index_t const begin = pair == 0 ? 0 : merged[pair - 1];
            index_t const to = std::min(c.end, merged[pair]);
            if (to > at) {
              detail::merge_part(items, begin, std::max(begin, ends[2 * pair]), merged[pair], space,
                                 at, to, less);
            }
            at = std::max(at, to);
          }
          return index_t{0};
        });
    ends = (std::move)(merged);
    std::swap(items, space);
  }
  return items;
}

}  // namespace libscan::inline v1
