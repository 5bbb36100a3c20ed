// SPDX-License-Identifier: Apache-2.0
// Segments with arbitrary begins and ends, and their scans and sums by loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <libscan/core/types.hpp>
#include <tests/support/operators.hpp>

namespace libscan::test {

/// Ranges of n items, as two lists.
struct some_ranges {
  std::vector<std::int32_t> begins, ends;

  /// With gaps before, between and after them, empty ones, and lengths up to `most`.
  static some_ranges apart(int n, int most) {
    some_ranges all;
    random_words words;
    for (int at = 3; at < n - 5;) {
      int const length =
          std::min(n - 5 - at, static_cast<int>(words.below(static_cast<std::uint64_t>(most))));
      all.add(at, at + length);
      at += length + static_cast<int>(words.below(4));
      if (length % 3 == 0) ++at;
    }
    return all;
  }

  void add(int begin, int end) {
    begins.push_back(begin);
    ends.push_back(end);
  }
  /// In another order.
  some_ranges shuffled() const {
    some_ranges all = *this;
    random_words words;
    for (std::size_t i = all.begins.size(); i > 1; --i) {
      auto const k = static_cast<std::size_t>(words.below(i));
      std::swap(all.begins[i - 1], all.begins[k]);
      std::swap(all.ends[i - 1], all.ends[k]);
    }
    return all;
  }
  index_t count() const { return static_cast<index_t>(begins.size()); }
};

/// `out`, with the ranges scanned into it.
template <class T, class Op>
std::vector<T> scanned_ranges(scan_kind kind, scan_direction direction, std::vector<T> const& in,
                              std::vector<T> out, some_ranges const& ranges, Op op, T init) {
  for (std::size_t s = 0; s < ranges.begins.size(); ++s) {
    T x = init;
    int const begin = ranges.begins[s], length = ranges.ends[s] - begin;
    for (int k = 0; k < length; ++k) {
      bool const forward = direction == scan_direction::forward;
      auto const i = static_cast<std::size_t>(forward ? begin + k : begin + length - 1 - k);
      T const before = x;
      x = op(x, in[i]);
      out[i] = kind == scan_kind::inclusive ? x : before;
    }
  }
  return out;
}

/// The total of each range.
template <class T, class Op>
std::vector<T> totals_of_ranges(std::vector<T> const& in, some_ranges const& ranges, Op op,
                                T init) {
  std::vector<T> totals;
  for (std::size_t s = 0; s < ranges.begins.size(); ++s) {
    T x = init;
    for (int i = ranges.begins[s]; i < ranges.ends[s]; ++i)
      x = op(x, in[static_cast<std::size_t>(i)]);
    totals.push_back(x);
  }
  return totals;
}

}  // namespace libscan::test
