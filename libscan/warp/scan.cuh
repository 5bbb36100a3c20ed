// SPDX-License-Identifier: Apache-2.0
// Scan of one value per lane by shuffles: log2(32) Kogge-Stone steps in registers, without shared
// memory (Hillis & Steele 1986; the warp form as in Sengupta, Harris & Garland 2008).
#pragma once

#include <concepts>

#include <libscan/core/operators.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// One lane's result of a scan: the values before it combined (and its own, if inclusive), and the
/// total of all lanes.
template <class T>
struct scan_result {
  T prefix;
  T total;
};

/// prefix = x[0] op ... op x[lane].
/// Types: the operator need not commute; the earlier operand always comes first.
/// Synchronization: all 32 lanes call. Orders no memory.
template <class T, class Op>
__device__ __forceinline__ scan_result<T> inclusive_scan(T x, Op op) {
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    T const earlier = simt::shfl_up(simt::full_warp, x, distance);
    if (simt::lane_id() >= distance) x = op(earlier, x);
  }
  return {x, simt::shfl(simt::full_warp, x, simt::warp_size - 1)};
}

/// prefix = x[0] op ... op x[lane - 1], the operator's identity in lane 0. Otherwise as
/// `inclusive_scan`.
template <class T, class Op>
__device__ __forceinline__ scan_result<T> exclusive_scan(T x, Op op) {
  scan_result<T> const inclusive = warp::inclusive_scan(x, op);
  T const before = simt::shfl_up(simt::full_warp, inclusive.prefix, 1);
  T const nothing = op.identity();
  return {simt::lane_id() == 0 ? nothing : before, inclusive.total};
}

namespace detail {

/// Whether one instruction (sm_80 and later) reduces such values by such an operator, and which.
template <class Op>
struct reduction {
  static constexpr bool is_instruction = false;
};
template <class T>
concept reduced_word = std::same_as<T, int> || std::same_as<T, unsigned>;
template <reduced_word T>
struct reduction<plus<T>> {
  static constexpr bool is_instruction = true;
  static __device__ T of(T x) { return simt::reduce_add(simt::full_warp, x); }
};
template <reduced_word T>
struct reduction<minimum<T>> {
  static constexpr bool is_instruction = true;
  static __device__ T of(T x) { return simt::reduce_min(simt::full_warp, x); }
};
template <reduced_word T>
struct reduction<maximum<T>> {
  static constexpr bool is_instruction = true;
  static __device__ T of(T x) { return simt::reduce_max(simt::full_warp, x); }
};

}  // namespace detail

/// x[0] op x[1] op ... op x[31], in lane 0.
/// Types: the operator need not commute.
/// Synchronization: all 32 lanes call. Orders no memory.
template <class T, class Op>
__device__ __forceinline__ T combine(T x, Op op) {
  if constexpr (detail::reduction<Op>::is_instruction) {
    return detail::reduction<Op>::of(x);
  } else {
#pragma unroll
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      T const later = simt::shfl_down(simt::full_warp, x, distance);
      if (simt::lane_id() + distance < simt::warp_size) x = op(x, later);
    }
    return x;
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
