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
struct position {
  index_t value;
};

/// Sum of positions.
struct plus_position {
  using value_type = position;
  LIBSCAN_HOST_DEVICE static constexpr position identity() { return {0}; }
  LIBSCAN_HOST_DEVICE constexpr position operator()(position earlier, position later) const {
    return {earlier.value + later.value};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan {
/// Positions are integers.
template <>
inline constexpr bool exactly_associative<device::plus_position> = true;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile has fewer than 2^27 items, so that its count fits one word with a tag, and so does the
/// sum of 32 counts; the number of items before a tile takes 64 bits.
template <>
struct total_format<position> {
  using value_type = std::uint32_t;
  static __device__ std::uint32_t value(position total) {
    return static_cast<std::uint32_t>(total.value);
  }
  static __device__ bool flag(position) { return false; }
  static __device__ position total(std::uint32_t value, bool) { return {index_t{value}}; }
  static __device__ position combine_lanes(position total, plus_position) {
    return {index_t{warp::combine(value(total), plus<std::uint32_t>{})}};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
