// SPDX-License-Identifier: Apache-2.0
// The summary of a stretch of items for the stretches after it: how many segments begin in it, and
// the value of its last segment so far.
#pragma once

#include <cstdint>
#include <cstring>

#include <libscan/device/packed_count.cuh>
#include <libscan/device/segmented_row.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Of some consecutive items: how many segments begin among them, and the value since the last of
/// these beginnings, or of all items.
template <class T>
struct segment_summary {
  index_t segments;
  T open;
};

/// Two such stretches, the second directly after the first.
template <class Op>
struct join_segments {
  using value_type = segment_summary<typename Op::value_type>;
  Op op;
  __device__ value_type identity() const { return {0, op.identity()}; }
  __device__ value_type operator()(value_type earlier, value_type later) const {
    index_t const segments = earlier.segments + later.segments;
    if (later.segments > 0) return {segments, later.open};
    return {segments, op(earlier.open, later.open)};
  }
};

/// The count of a tile fits 32 bits, which are stored before its value.
template <class T>
struct total_format<segment_summary<T>> {
  struct value_type {
    std::uint32_t segments;
    std::uint32_t open[(sizeof(T) + 3) / 4];
  };
  static __device__ value_type value(segment_summary<T> const& total) {
    value_type value{static_cast<std::uint32_t>(total.segments), {}};
    std::memcpy(value.open, __builtin_addressof(total.open), sizeof(T));
    return value;
  }
  static __device__ bool flag(segment_summary<T> const&) { return false; }
  static __device__ segment_summary<T> total(value_type const& value, bool) {
    segment_summary<T> total;
    total.segments = value.segments;
    std::memcpy(__builtin_addressof(total.open), value.open, sizeof(T));
    return total;
  }
  template <class Op>
  static __device__ segment_summary<T> combine_lanes(segment_summary<T> const& total,
                                                     join_segments<Op> join) {
    auto const segments = total_format<packed_count>::combine_lanes(packed_count{total.segments},
                                                                    plus_packed_count{});
    segment_carry<T> const end{total.open, total.segments > 0};
    return {segments.value,
            total_format<segment_carry<T>>::combine_lanes(end, join_carries<Op>{join.op}).value};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
