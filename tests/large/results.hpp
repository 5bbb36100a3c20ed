// SPDX-License-Identifier: Apache-2.0
// Results of scans, segmented scans and ranks in closed form, for items that are steps of
// tests/support/formula.hpp.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <tests/support/formula.hpp>

namespace libscan::test {

/// What an exclusive scan of `random_steps` leaves, with before(0) for init.
template <class T>
struct exclusive_sums {
  LIBSCAN_HOST_DEVICE T operator()(index_t i) const { return random_steps<T>{}.before(i); }
};

/// What an inclusive one leaves.
template <class T>
struct inclusive_sums {
  LIBSCAN_HOST_DEVICE T operator()(index_t i) const { return random_steps<T>{}.before(i + 1); }
};

/// What an exclusive scan of n items in reverse leaves.
template <class T>
struct sums_after {
  index_t n;
  LIBSCAN_HOST_DEVICE T operator()(index_t i) const { return random_steps<T>{}.sum(i + 1, n); }
};

/// The items from `begin` on.
struct later_steps {
  index_t begin;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return random_steps<std::uint32_t>{}(begin + i);
  }
};

/// Three segments; the first has more than half of n items.
struct three_segments {
  index_t n;
  LIBSCAN_HOST_DEVICE index_t begin(int s) const {
    return s == 0 ? 0 : s == 1 ? n / 2 + 3 : s == 2 ? n - 100 : n;
  }
  LIBSCAN_HOST_DEVICE index_t head_of(index_t i) const {
    return begin(i >= begin(2) ? 2 : i >= begin(1) ? 1 : 0);
  }
  /// Whether a segment begins at i, as a flag.
  LIBSCAN_HOST_DEVICE int operator()(index_t i) const { return head_of(i) == i ? 1 : 0; }
};

/// Rows of equal length.
struct rows {
  index_t length;
  LIBSCAN_HOST_DEVICE index_t head_of(index_t i) const { return i - i % length; }
};

/// What a segmented scan of `random_steps` leaves.
template <class T, scan_kind Kind, class Segments>
struct segment_sums {
  Segments segments;
  LIBSCAN_HOST_DEVICE T operator()(index_t i) const {
    return random_steps<T>{}.sum(segments.head_of(i), i + (Kind == scan_kind::inclusive ? 1 : 0));
  }
};

/// What a reduction of rows of two leaves.
template <class T>
struct pair_sums {
  LIBSCAN_HOST_DEVICE T operator()(index_t s) const {
    return random_steps<T>{}.sum(2 * s, 2 * s + 2);
  }
};

/// The items of `even_steps` as bits: word w holds items 32 w ...
struct packed_steps {
  even_steps steps;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t w) const {
    std::uint32_t word = 0;
    for (int j = 0; j < 32; ++j) {
      word |= static_cast<std::uint32_t>(steps(32 * w + j)) << j;
    }
    return word;
  }
};

/// The ranks of `even_steps`.
template <scan_kind Kind>
struct step_ranks {
  even_steps steps;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t i) const {
    return steps.before(i + (Kind == scan_kind::inclusive ? 1 : 0));
  }
};

}  // namespace libscan::test
