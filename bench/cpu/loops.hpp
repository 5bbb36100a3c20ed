// SPDX-License-Identifier: Apache-2.0
// The code people write without a library: loops that filter or split items. marked(i) returns
// whether item i is marked.
#pragma once

#include <bench/distributions.hpp>

namespace libscan::bench::cpu {

/// Copies the marked items to the front of `out`; returns their number.
template <class Item, class Marked>
index_t filter_loop(host_array<Item> const& in, Marked marked, Item* out) {
  Item* next = out;
  for (index_t i = 0; i < in.size; ++i) {
    if (marked(i)) *next++ = in[i];
  }
  return next - out;
}

/// The same without data-dependent branches: writes every item and overwrites those that are not
/// kept. It therefore writes one item past the last kept one.
template <class Item, class Marked>
index_t steady_filter_loop(host_array<Item> const& in, Marked marked, Item* out) {
  index_t kept = 0;
  for (index_t i = 0; i < in.size; ++i) {
    out[kept] = in[i];
    kept += marked(i) ? 1 : 0;
  }
  return kept;
}

/// The number of marked items among n.
template <class Marked>
index_t count_loop(index_t n, Marked marked) {
  index_t kept = 0;
  for (index_t i = 0; i < n; ++i) kept += marked(i) ? 1 : 0;
  return kept;
}

/// Copies the marked items to the front of `out` and the others to the front of `rejected`; returns
/// the number of marked items.
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

/// The same without data-dependent branches: writes every item to both outputs, which must have
/// space for all and must not overlap.
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
