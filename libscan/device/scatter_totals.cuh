// SPDX-License-Identifier: Apache-2.0
// The totals of all segments, made from those of the segments that are not empty: a filter in
// reverse. Binary scans by ballots number the segments that begin at an item.
#pragma once

#include <libscan/core/tuning.hpp>
#include <libscan/device/look_back_kernel.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Tile of segments.
struct scatter_totals_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 1;
};

/// The Work that spreads totals: totals[s] = begun[k] if segment s is segment k of those that are
/// not empty, `value` if it is empty. Items before the first segment have a total of their own,
/// before its. The items of its tiles are segments.
template <class Offset, class T, class Totals, class Init = T>
struct scatter_totals_work {
  using summary = packed_count;
  using op_type = plus_packed_count;
  static constexpr int warps = scatter_totals_tuning::block_threads / simt::warp_size;
  static constexpr int rows = sizeof(T) <= 8 ? 8 : sizeof(T) <= 16 ? 4 : 1;  // in flight together
  static constexpr int warp_segments = rows * simt::warp_size;
  static constexpr int row_items = warps * warp_segments;
  static constexpr int max_rows = 1;

  struct shared_storage {
    int warp_begun[warps];
  };

  class tile {
   public:
    __device__ tile(scatter_totals_work const& /*work*/, tile_place const& at)
        : segments_(at.n),
          own_(at.base + static_cast<int>(threadIdx.x) / simt::warp_size * warp_segments +
               simt::lane_id()) {}

    /// Sees which segments begin at an item, and numbers them within the tile.
    __device__ __forceinline__ packed_count summarize(scatter_totals_work const& work,
                                                      shared_storage& shared) {
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      load_begins(work.offsets, work.items.get());
      int warp_begun = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const row = warp::binary_scan(begins_[r]);
        number_[r] = warp_begun + row.rank;
        warp_begun += row.count;
      }
      if (simt::lane_id() == 0) shared.warp_begun[warp] = warp_begun;
      simt::sync_block();
      int all = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        if (w == warp) before_warp_ = all;
        all += shared.warp_begun[w];
      }
      return {all};
    }

    /// Loads their totals, and stores those of all.
    template <class All>
    __device__ __forceinline__ void write(scatter_totals_work const& work,
                                          shared_storage& /*shared*/, tile_place const& /*at*/,
                                          packed_count before, All const& /*all*/) const {
      index_t const skipped = static_cast<index_t>(work.offsets[0]) != 0 ? 1 : 0;
      T const* const first = work.nonempty + (before.value + before_warp_ + skipped);
      T const of_empty = work.value;
      T total[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) total[r] = begins_[r] ? first[number_[r]] : of_empty;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        index_t const segment = own_ + r * simt::warp_size;
        if (segment < segments_) work.totals[segment] = total[r];
      }
    }

   private:
    /// Whether each of the caller's segments, a row of the warp apart, begins at one of n items.
    __device__ __forceinline__ void load_begins(Offset const* edges, index_t n) {
      index_t at[rows], end[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        index_t const segment = own_ + r * simt::warp_size;
        at[r] = static_cast<index_t>(edges[segment < segments_ ? segment : segments_]);
        end[r] = static_cast<index_t>(edges[segment < segments_ ? segment + 1 : segments_]);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) begins_[r] = at[r] >= 0 && at[r] < n && at[r] < end[r];
    }

    index_t segments_;
    index_t own_;  // the caller's first
    bool begins_[rows];
    int number_[rows];
    int before_warp_ = 0;
  };

  Offset const* offsets;
  item_count items;
  T const* nonempty;
  Totals totals;
  Init value;
  op_type op{};

  __device__ void finish(packed_count /*all*/) const {}
};

/// How many tiles the totals of this many segments are distributed in.
template <class Offset, class T>
constexpr index_t scatter_tiles(index_t segments) {
  return ceil_div(segments, index_t{scatter_totals_work<Offset, T, T*>::row_items});
}

/// Spreads totals if *numbered is `segments`; does nothing if it is 0. `memory`:
/// `tile_chain<position>::bytes` for `scatter_tiles`; its first `reset_bytes` are 0.
template <class Offset, class T, class Totals, class Init>
void scatter_totals(std::byte* memory, simt::stream on, Offset const* offsets, index_t segments,
                    index_t const* numbered, item_count n, T const* nonempty, Totals totals,
                    Init init) {
  scatter_totals_work<Offset, T, Totals, Init> const work{offsets, n, nonempty, totals, init};
  device::launch_look_back<scatter_totals_tuning>(memory, on, work,
                                                  item_count::on_device(numbered, segments));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
