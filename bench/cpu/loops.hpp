// SPDX-License-Identifier: Apache-2.0
// What everyone writes who has no library: loops that choose among items or part them. marked(i)
// says whether item i is meant.
#pragma once

#include <bench/distributions.hpp>

namespace libscan::bench::cpu {

/// Copies the marked items to the front of `out`; returns how many they are.
template <class Item, class Marked>
index_t filter_loop(host_array<Item> const& in, Marked marked, Item* out) {
  Item* next = out;
  for (index_t i = 0; i < in.size; ++i) {
    if (marked(i)) *next++ = in[i];
  }
  return next - out;
}

/// The same without branches that depend on data: writes every item, the next one over what is not
/// kept, and so one behind the last that is.
template <class Item, class Marked>
index_t steady_filter_loop(host_array<Item> const& in, Marked marked, Item* out) {
  index_t kept = 0;
  for (index_t i = 0; i < in.size; ++i) {
    out[kept] = in[i];
    kept += marked(i) ? 1 : 0;
  }
  return kept;
}

/// How many of n items are marked.
template <class Marked>
index_t count_loop(index_t n, Marked marked) {
  index_t kept = 0;
  for (index_t i = 0; i < n; ++i) kept += marked(i) ? 1 : 0;
  return kept;
}

/// Copies the marked items to the front of `out` and the others to the front of `rejected`; returns
/// how many are marked.
template <class Item, class Marked>
index_t split_loop(host_array<Item> const& in, Marked marked, Item* out, Item* rejected) {
  Item* next = out;
  for (index_t i = 0; i < in.size; ++i) {
    if (marked(i)) {
      *next++ = in[i];
    } else {
      *rejected++ = in[i];
    }
  }
  return next - out;
}

/// The same without branches that depend on data: writes every item to both, which must have room
/// for all and lie apart.
template <class Item, class Marked>
index_t steady_split_loop(host_array<Item> const& in, Marked marked, Item* out, Item* rejected) {
  index_t kept = 0;
  for (index_t i = 0; i < in.size; ++i) {
    out[kept] = in[i];
    rejected[i - kept] = in[i];
    kept += marked(i) ? 1 : 0;
  }
  return kept;
}

}  // namespace libscan::bench::cpu
