// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back (Merrill & Garland 2016), in an order of association that never depends on
// timing: a tile's prefix is always ((total[0] op total[1]) op total[2]) ..., at whichever tile the
// walk back ended.
#pragma once

#include <libscan/core/operators.hpp>
#include <libscan/device/tile_state.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

namespace detail {

/// What the 32 tiles before `end` have published, one per lane in ascending order; waits until all
/// have published something. Lanes before tile 0 report nothing.
template <class T>
__device__ tile_report<T> read_window(tile_state<T> const& state, index_t end, T identity) {
  index_t const tile = end - simt::warp_size + simt::lane_id();
  tile_report<T> report{tile_status::nothing, identity};
  do {
    if (tile >= 0 && report.status == tile_status::nothing) report = state.read(tile);
  } while (simt::any(simt::full_warp, tile >= 0 && report.status == tile_status::nothing));
  return report;
}

/// Folds a window from left to right onto `carry`; starts over at its last published prefix.
template <class T, class Op>
__device__ T fold_window(tile_report<T> const& report, T carry, Op op) {
  unsigned const prefixes = simt::ballot(simt::full_warp, report.status == tile_status::prefix);
  int lane = 0;
  if (prefixes != 0) {
    lane = simt::warp_size - 1 - simt::clz(prefixes);
    carry = simt::shfl(simt::full_warp, report.value, lane++);
  }
  for (; lane < simt::warp_size; ++lane) {
    carry = op(carry, simt::shfl(simt::full_warp, report.value, lane));
  }
  return carry;
}

/// Walks back to a window that holds a prefix, then folds forward again, one tile after the other.
template <class T, class Op>
__device__ T look_back_in_order(tile_state<T> const& state, index_t tile, Op op) {
  index_t end = tile;
  auto report = detail::read_window(state, end, T(op.identity()));
  while (!simt::any(simt::full_warp, report.status == tile_status::prefix)) {
    end -= simt::warp_size;
    report = detail::read_window(state, end, T(op.identity()));
  }
  T carry = detail::fold_window(report, T(op.identity()), op);
  while (end != tile) {
    end += simt::warp_size;
    carry = detail::fold_window(detail::read_window(state, end, T(op.identity())), carry, op);
  }
  return carry;
}

/// Walks back and sums, a window at a time.
template <class T, class Op>
__device__ T look_back_in_any_order(tile_state<T> const& state, index_t tile, Op op) {
  T carry = op.identity();
  for (index_t end = tile;; end -= simt::warp_size) {
    auto const report = detail::read_window(state, end, T(op.identity()));
    unsigned const prefixes = simt::ballot(simt::full_warp, report.status == tile_status::prefix);
    int const first = prefixes == 0 ? 0 : simt::warp_size - 1 - simt::clz(prefixes);
    T counts = op.identity();
    if (simt::lane_id() >= first) counts = report.value;
    carry = op(warp::inclusive_scan(counts, op).total, carry);
    if (prefixes != 0) return carry;
  }
}

}  // namespace detail

/// The prefix that enters `tile` > 0: all that tiles 0 ... tile - 1 hold. Called by all lanes of
/// one warp; each lane gets the result. Tile 0 must publish its prefix without looking back.
template <class T, class Op>
__device__ T look_back(tile_state<T> const& state, index_t tile, Op op) {
  if constexpr (exactly_associative<Op>) {
    return detail::look_back_in_any_order(state, tile, op);
  } else {
    return detail::look_back_in_order(state, tile, op);
  }
}

/// The carry that enters a tile: `init` before tile 0, otherwise found by looking back. Publishes
/// the tile's total and then its prefix. All threads of the block call and get the carry; ends with
/// a barrier. `ordered`: what all tiles before it did before they entered, up to their last
/// barrier, comes before what follows here; else nothing is said about other memory.
template <class T, class Op>
__device__ T enter_tile(tile_state<T> const& state, index_t tile, T total, T init, Op op,
                        T& shared_carry, bool ordered = false) {
  if (threadIdx.x < simt::warp_size) {
    bool const leader = threadIdx.x == 0;
    T carry = init;
    if (ordered) {
      simt::sync_warp();  // the block's last barrier, of a block of one warp
      simt::exchange_fence();
    }
    if (tile > 0) {
      if (leader) state.publish(tile, tile_status::total, total);
      carry = device::look_back(state, tile, op);
      if (ordered) {
        simt::exchange_fence();  // each lane, after what it saw
        simt::sync_warp();
        simt::exchange_fence();  // the leader, before it hands that on
      }
    }
    if (leader) {
      state.publish(tile, tile_status::prefix, op(carry, total));
      shared_carry = carry;
    }
  }
  simt::sync_block();
  return shared_carry;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
