// SPDX-License-Identifier: Apache-2.0
// The prefix that enters each tile of one block, kept by one warp from the block's tile to its next
// one. Tiles are dealt round robin, so that only the totals in between are new: one hop, and no
// tile has to publish its prefix.
#pragma once

#include <libscan/device/tile_totals.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Totals are combined in chunks of 32 tiles: a chunk by a warp scan, the chunks one after the
/// other. The order of association depends on a tile's number alone: neither on timing nor on the
/// number of blocks.
template <class T, class Op>
class running_prefix {
 public:
  /// Before tile 0 comes `init`.
  __device__ running_prefix(T init, Op op) : chunks_before_(init), op_(op) {}

  /// init op the totals of tiles 0 ... tile - 1; waits for those. `tile` must not decrease from
  /// call to call. All lanes of one warp call, and all get the result.
  __device__ T advance_to(tile_totals<T> const& totals, index_t tile) {
    for (;;) {
      T prefix[batch];
      await(totals, tile, prefix);
      T total[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) {  // without a branch, so that the scans overlap
        auto const chunk = warp::inclusive_scan(prefix[j], op_);
        prefix[j] = chunk.prefix;
        total[j] = chunk.total;
      }
      index_t const whole = (tile - first_) / simt::warp_size;
      int const rest = static_cast<int>((tile - first_) % simt::warp_size);
      T last = prefix[0];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (j < whole) chunks_before_ = op_(chunks_before_, total[j]);
        if (j == whole) last = prefix[j];
      }
      if (whole < batch) {
        first_ += whole * simt::warp_size;
        if (rest == 0) return chunks_before_;
        return op_(chunks_before_, simt::shfl(simt::full_warp, last, rest - 1));
      }
      first_ += batch * simt::warp_size;
    }
  }

 private:
  // So many chunks at once cover the tiles between two of one block for up to 160 blocks.
  static constexpr int batch = sizeof(T) <= 8 ? 6 : 2;

  /// total[j] = the total of tile first_ + 32 j + lane, or the identity from `tile` on.
  __device__ void await(tile_totals<T> const& totals, index_t tile, T (&total)[batch]) const {
    bool here[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      total[j] = op_.identity();
      here[j] = first_ + (j * simt::warp_size + simt::lane_id()) >= tile;
    }
    bool all_here;
    do {
      all_here = true;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (!here[j]) {
          here[j] = totals.try_read(first_ + (j * simt::warp_size + simt::lane_id()), total[j]);
        }
        all_here = all_here && here[j];
      }
    } while (!simt::all(simt::full_warp, all_here));
  }

  T chunks_before_;    // init and all chunks before first_
  index_t first_ = 0;  // tile; a multiple of 32
  Op op_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
