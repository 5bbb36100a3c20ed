// SPDX-License-Identifier: Apache-2.0
// Positions and counts of items, and their sum.
#pragma once

#include <cstdint>

#include <libscan/core/operators.hpp>
#include <libscan/device/tile_totals.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A position or count of items: never negative, below 2^62, and so small enough to share one
/// 64-bit word with its status.
struct packed_count {
  index_t value;
};

/// Sum of positions.
struct plus_packed_count {
  using value_type = packed_count;
  LIBSCAN_HOST_DEVICE static constexpr packed_count identity() { return {0}; }
  LIBSCAN_HOST_DEVICE constexpr packed_count operator()(packed_count earlier,
                                                        packed_count later) const {
    return {earlier.value + later.value};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan {
/// Positions are integers.
template <>
inline constexpr bool exactly_associative<device::plus_packed_count> = true;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile has fewer than 2^27 items, so that its count fits one word with a tag, and so does the
/// sum of 32 counts; the number of items before a tile takes 64 bits.
template <>
struct total_format<packed_count> {
  using value_type = std::uint32_t;
  static __device__ std::uint32_t value(packed_count total) {
    return static_cast<std::uint32_t>(total.value);
  }
  static __device__ bool flag(packed_count) { return false; }
  static __device__ packed_count total(std::uint32_t value, bool) { return {index_t{value}}; }
  static __device__ packed_count combine_lanes(packed_count total, plus_packed_count) {
    return {index_t{warp::combine(value(total), plus<std::uint32_t>{})}};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
