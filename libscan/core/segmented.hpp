// SPDX-License-Identifier: Apache-2.0
// A segmented scan is a scan of pairs of a value and a head flag, by an operator that forgets what
// comes before a head (Schwartz 1980; Blelloch 1990, 1.5).
#pragma once

#include <concepts>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// A value, and whether a segment begins at it, or among the values that it sums.
template <class T>
struct flagged {
  T value;
  bool head;
};

/// `Op` within segments. Associative if Op is; it never commutes.
template <monoid Op>
struct segmented {
  using value_type = flagged<typename Op::value_type>;
  Op op{};

  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return {op.identity(), false}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type earlier, value_type later) const {
    return {later.head ? later.value : op(earlier.value, later.value), earlier.head || later.head};
  }
};

/// Segment s is the items [begins[s], ends[s]), which may be empty. The bounds are integers of any
/// size, in memory that the engine can read. Items may be in no segment: between two, before the
/// first, after the last. Segments may come in any order. Reductions may have overlapping segments.
/// Scans may not; they leave items outside all segments unchanged.
template <std::integral Offset>
struct segment_ranges {
  Offset const* begins;
  Offset const* ends;
  index_t segments;

  /// Between `segments` + 1 offsets: as `segment_offsets`, except that the first need not be 0, nor
  /// the last the number of items.
  static constexpr segment_ranges between(Offset const* offsets, index_t segments) {
    return {offsets, offsets + 1, segments};
  }
};
/// The integers' type follows from the pointers.
template <class Offset>
segment_ranges(Offset const*, Offset const*, index_t) -> segment_ranges<Offset>;
/// The same for pointers to mutable integers.
template <class Offset>
segment_ranges(Offset*, Offset*, index_t) -> segment_ranges<Offset>;

}  // namespace libscan::inline v1
