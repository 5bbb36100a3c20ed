// SPDX-License-Identifier: Apache-2.0
// The prefix that enters each tile of one block, kept by one warp from the block's tile to its next
// one. Only the totals in between are new: one hop, and no tile needs to publish its prefix.
#pragma once

#include <libscan/device/tile_totals.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tree combines the totals of 32 consecutive tiles, and such chunks are combined in order. The
/// order of association depends only on a tile's number: neither on timing nor on the number of
/// blocks.
template <class T, class Op>
class running_prefix {
 public:
  /// Before tile 0 comes `init`.
  __device__ running_prefix(tile_totals<T> const& totals, T init, Op op)
      : totals_(totals), before_(init), op_(op) {}

  /// init op the totals of all tiles before `tile`, which must not decrease from call to call;
  /// waits for those totals. All lanes of one warp call; lane 0 gets the result.
  __device__ T advance_to(index_t tile) {
    for (;;) {
      index_t const wanted = tile - chunk_ * simt::warp_size;
      bool const last = wanted < batch * simt::warp_size;
      T part[batch];
      await(static_cast<int>(last ? wanted : batch * simt::warp_size), part);
#pragma unroll
      for (int j = 0; j < batch; ++j) part[j] = total_format<T>::combine_lanes(part[j], op_);
      int const whole = last ? static_cast<int>(wanted) / simt::warp_size : batch;
      chunk_ += whole;
      T prefix = before_;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        prefix = op_(prefix, part[j]);
        if (j + 1 == whole) before_ = prefix;
      }
      if (last) return prefix;
    }
  }

  /// Waits until `tile` has published its total.
  __device__ void await_total(index_t tile) const {
    while (!totals_.read(tile).complete()) {
    }
  }

 private:
  // This many chunks at once cover the tiles between two of one block for up to 160 blocks.
  static constexpr int batch = sizeof(typename tile_totals<T>::reading) <= 16 ? 6 : 2;

  /// total[j] = the total of tile 32 (chunk_ + j) + lane for the first `wanted` tiles, the identity
  /// beyond; waits for them.
  __device__ void await(int wanted, T (&total)[batch]) const {
    index_t const first = chunk_ * simt::warp_size;
    typename tile_totals<T>::reading found[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      int const i = j * simt::warp_size + simt::lane_id();
      found[j] = tile_totals<T>::published(op_.identity());
      if (i < wanted) found[j] = totals_.read(first + i);
    }
    for (;;) {
      bool all_here = true;
#pragma unroll
      for (int j = 0; j < batch; ++j) all_here = all_here && found[j].complete();
      if (simt::all(simt::full_warp, all_here)) break;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        int const i = j * simt::warp_size + simt::lane_id();
        if (!found[j].complete()) found[j] = totals_.read(first + i);
      }
    }
#pragma unroll
    for (int j = 0; j < batch; ++j) total[j] = found[j].value();
  }

  tile_totals<T> totals_;
  index_t chunk_ = 0;  // of 32 tiles; those before it are in before_
  T before_;           // in lane 0
  Op op_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
