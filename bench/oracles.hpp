// SPDX-License-Identifier: Apache-2.0
// The right results, by the loops that define them. With the data of distributions.hpp every order
// of association gives exactly these values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <bench/distributions.hpp>
#include <libscan/core/types.hpp>

namespace libscan::bench {

/// The scan of `in`; results are converted to Out as they are stored.
template <class Out, class In, class Op>
host_array<Out> scanned(host_array<In> const& in, scan_kind kind, Op op) {
  using T = typename Op::value_type;
  host_array<Out> out(in.size);
  T sum = op.identity();
  for (index_t i = 0; i < in.size; ++i) {
    T const next = op(sum, static_cast<T>(in[i]));
    out[i] = static_cast<Out>(kind == scan_kind::inclusive ? next : sum);
    sum = next;
  }
  return out;
}

/// The scan of each segment of `in`.
template <class T, class Op>
host_array<T> scanned_in_segments(host_array<T> const& in, scan_kind kind,
                                  std::vector<std::int32_t> const& offsets, Op op) {
  host_array<T> out(in.size);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T sum = op.identity();
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      T const next = op(sum, in[i]);
      out[i] = kind == scan_kind::inclusive ? next : sum;
      sum = next;
    }
  }
  return out;
}

/// Sorts each segment of `items` stably.
template <class T, class Less>
void sort_in_segments(host_array<T> const& items, std::vector<std::int32_t> const& offsets,
                      Less less) {
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(items.begin() + offsets[s], items.begin() + offsets[s + 1], less);
  }
}

/// All items of `in`, reduced.
template <class In, class Op>
typename Op::value_type reduced(host_array<In> const& in, Op op) {
  using T = typename Op::value_type;
  T sum = op.identity();
  for (In const& item : in) sum = op(sum, static_cast<T>(item));
  return sum;
}

}  // namespace libscan::bench
