// SPDX-License-Identifier: Apache-2.0
// Segmented scan of one row of a warp: each lane holds a few consecutive values, and a bit for each
// that begins a segment, so that no pairs of value and flag are needed.
#pragma once

#include <libscan/core/operators.hpp>
#include <libscan/device/tile_totals.cuh>
#include <libscan/warp/segmented_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What a scanned row holds for each item: its own prefix, inclusive or exclusive, as scans return
/// it; or `ended`, the prefix before it in the segment of the previous item, which at a head is the
/// total of the segment that has just ended.
enum class row_prefix { inclusive, exclusive, ended };

/// The value since the last head of some consecutive items, and whether there is a head at all.
template <class T>
struct segment_carry {
  T value;
  bool has_head;
};

/// The first, then the second.
template <class T, class Op>
__device__ __forceinline__ segment_carry<T> join(segment_carry<T> earlier, segment_carry<T> later,
                                                 Op op) {
  return {later.has_head ? later.value : T(op(earlier.value, later.value)),
          static_cast<bool>(earlier.has_head | later.has_head)};
}

/// `join` as an operator.
template <class Op>
struct join_carries {
  using value_type = segment_carry<typename Op::value_type>;
  Op op;
  __device__ value_type identity() const { return {op.identity(), false}; }
  __device__ value_type operator()(value_type earlier, value_type later) const {
    return device::join(earlier, later, op);
  }
};

/// The flag of a segment's carry is stored with its value.
template <class T>
struct total_format<segment_carry<T>> {
  using value_type = T;
  static __device__ T const& value(segment_carry<T> const& total) { return total.value; }
  static __device__ bool flag(segment_carry<T> const& total) { return total.has_head; }
  static __device__ segment_carry<T> total(T const& value, bool flag) { return {value, flag}; }
  /// Only what follows the last head is combined.
  template <class Op>
  static __device__ segment_carry<T> combine_lanes(segment_carry<T> const& total,
                                                   join_carries<Op> join) {
    unsigned const heads = simt::ballot(simt::full_warp, total.has_head);
    bool const counts = (heads & simt::lanemask_gt()) == 0;
    T const nothing = join.op.identity();
    return {warp::combine(counts ? total.value : nothing, join.op), heads != 0};
  }
};

namespace detail {

/// Inclusive within segments, over the values of one lane. Returns the last.
template <class T, int Width, class Op>
__device__ __forceinline__ T scan_lane(T (&row)[Width], unsigned own, T init, Op op) {
  if ((own & 1u) != 0) row[0] = op(init, row[0]);
#pragma unroll
  for (int j = 1; j < Width; ++j) {
    row[j] = op((own >> j & 1u) != 0 ? init : row[j - 1], row[j]);
  }
  return row[Width - 1];
}

/// Inclusive within segments, over the lanes of a warp.
template <class T, class Op>
__device__ __forceinline__ T scan_lanes(T x, unsigned lanes, Op op) {
  int const begin = warp::segment_of_lane(lanes).begin;
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    T const earlier = simt::shfl_up(simt::full_warp, x, distance);
    if (simt::lane_id() - distance >= begin) x = op(earlier, x);
  }
  return x;
}

}  // namespace detail

/// Scans a row within segments, `init` before each; bit j of `own`: the lane's value j begins one.
/// `all`: the open end of the values before the row; on return, including the row. Returns whether
/// no lane before the caller's has a head. All lanes of the warp call.
template <row_prefix What, class T, int Width, class Op>
__device__ __forceinline__ bool scan_row(T (&row)[Width], unsigned own, segment_carry<T>& all,
                                         T init, Op op) {
  T const lane_last = detail::scan_lane(row, own, init, op);
  unsigned const lanes = simt::ballot(simt::full_warp, own != 0);
  T const inclusive = detail::scan_lanes(lane_last, lanes, op);
  T const before = simt::shfl_up(simt::full_warp, inclusive, 1);
  bool const headless = (lanes & simt::lanemask_lt()) == 0;
  T entering = all.value;
  if (simt::lane_id() != 0) entering = headless ? T(op(all.value, before)) : before;
#pragma unroll
  for (int j = Width - 1; j >= 0; --j) {
    int const last = What == row_prefix::inclusive ? j : j - 1;  // of what the prefix combines
    T prefix = entering;
    if (last >= 0) {
      T const& in_lane = row[last < 0 ? 0 : last];
      bool const no_head = (own & ((2u << last) - 1u)) == 0;  // up to `last`
      prefix = no_head ? T(op(entering, in_lane)) : in_lane;
    }
    row[j] = What == row_prefix::exclusive && (own >> j & 1u) != 0 ? init : prefix;
  }
  T const open = simt::shfl(simt::full_warp, inclusive, simt::warp_size - 1);
  all = device::join(all, segment_carry<T>{open, lanes != 0}, op);
  return headless;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
