// SPDX-License-Identifier: Apache-2.0
// How items are divided into segments, and which of them a mask marks: the descriptions that calls
// of every engine take. Also the operator that makes a segmented scan of a scan.
#pragma once

#include <concepts>
#include <cstdint>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

// Descriptions are plain structs. All pointers are to memory that the engine can read. Kernels read
// them by libscan/device/segment_readers.cuh, the cpu engine by libscan/cpu/segment_readers.hpp.

/// A byte per item; nonzero is true. Costs one byte of traffic per item.
struct byte_mask {
  std::uint8_t const* bytes;
};

/// A bit per item: bit i of word w is item 32 w + i. n items have ceil(n / 32) words; bits after
/// the last item are ignored. Costs 1/8 byte of traffic per item.
struct bit_mask {
  std::uint32_t const* words;
};

/// Segments begin at true items. Item 0 always begins one.
using head_flags = byte_mask;
using head_bits = bit_mask;

/// Segment s is the items [offsets[s], offsets[s + 1]); it may be empty. `offsets`: segments + 1
/// integers of any size, ascending within 0 ... n. Items before the first offset or after the last
/// are in no segment: a scan does not write them. (`staged_segmented_scan` requires offsets from 0
/// to n.)
///
/// In kernels, offsets outside [0, n) begin nothing. They are turned into head bits in the
/// workspace: reads all offsets, writes and reads 1/8 byte per item; without a search, for segments
/// of any length. But in scans and sums of up to 2^22 items in up to 2^17 segments each tile
/// searches for its own segments instead.
template <std::integral Offset>
struct segment_offsets {
  Offset const* offsets;
  index_t segments;

  /// The begin of segment s, for s <= segments.
  LIBSCAN_HOST_DEVICE index_t begin_of(index_t s) const { return static_cast<index_t>(offsets[s]); }
};
/// The integers' type follows from the pointer.
template <class Offset>
segment_offsets(Offset const*, index_t) -> segment_offsets<Offset>;
/// The same for a pointer to mutable integers.
template <class Offset>
segment_offsets(Offset*, index_t) -> segment_offsets<Offset>;

/// A segment begins wherever a key differs from the previous one. `keys`: a random-access iterator,
/// of the device for device calls. `equal(earlier, later)` is called for neighbors only, on the cpu
/// engine concurrently; there == on contiguous numbers is vector code. Costs one key of traffic per
/// item.
template <class Keys, class Equal = equal_values>
struct segment_keys {
  Keys keys;
  Equal equal{};
};
/// Keys compared by ==.
template <class Keys>
segment_keys(Keys) -> segment_keys<Keys>;
/// Keys compared by `equal`.
template <class Keys, class Equal>
segment_keys(Keys, Equal) -> segment_keys<Keys, Equal>;

/// Every segment has `length` > 0 items, except the last, which may have fewer: the rows of a
/// matrix. No traffic.
struct equal_segments {
  index_t length;
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

/// A value, and whether a segment begins at it, or among the values that it sums.
template <class T>
struct flagged {
  T value;
  bool head;
};

/// `Op` within segments: a segmented scan is a scan of pairs of a value and a head flag, by an
/// operator that forgets what comes before a head (Schwartz 1980; Blelloch 1990, 1.5). Associative
/// if Op is; it never commutes.
template <monoid Op>
struct segmented {
  using value_type = flagged<typename Op::value_type>;
  Op op{};

  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return {op.identity(), false}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type earlier, value_type later) const {
    return {later.head ? later.value : op(earlier.value, later.value), earlier.head || later.head};
  }
};

}  // namespace libscan::inline v1
