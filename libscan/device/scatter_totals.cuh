// SPDX-License-Identifier: Apache-2.0
// The totals of all segments, made from those of the segments that are not empty: a filter in
// reverse. Tiles of segments are claimed by an atomic ticket; binary scans by ballots, and
// look-back between tiles (Merrill & Garland 2016), number the segments that begin at an item.
#pragma once

#include <cstdint>

#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/packed_count.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// totals[s] = begun[k] if segment s is segment k of those that are not empty, `init` if it is
/// empty, for all s below *numbered. Items before the first segment have a total of their own,
/// before its.
template <class Offset, class T>
struct scatter_totals_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int rows = sizeof(T) <= 8 ? 8 : sizeof(T) <= 16 ? 4 : 1;  // in flight together
  static constexpr int warp_segments = rows * simt::warp_size;
  static constexpr int tile_segments = warps * warp_segments;

  struct shared_storage {
    int warp_begun[warps];
    packed_count carry;
    index_t claimed;
  };

  template <class Totals>
  __device__ void operator()(shared_storage& shared, Offset const* offsets, index_t const* numbered,
                             item_count count, T const* nonempty, Totals totals, T init,
                             tile_state<packed_count> state) const {
    index_t const n = count.get();
    index_t const segments = *numbered;
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      if (tile * tile_segments >= segments) return;

      // 2 find which segments begin at an item; 3 number them within the tile
      index_t const own = tile * tile_segments + warp * warp_segments + simt::lane_id();
      bool begins[rows];
      load_begins(offsets, own, segments, n, begins);
      int number[rows];
      int warp_begun = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const row = warp::binary_scan(begins[r]);
        number[r] = warp_begun + row.rank;
        warp_begun += row.count;
      }
      if (simt::lane_id() == 0) shared.warp_begun[warp] = warp_begun;
      simt::sync_block();
      int before = 0, all = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        if (w == warp) before = all;
        all += shared.warp_begun[w];
      }

      // 4 publish their number, look back for the number before the tile
      packed_count const carry = device::enter_tile(state, tile, packed_count{all}, packed_count{0},
                                                    plus_packed_count{}, shared.carry);

      // 5 load their totals; 6 store those of all
      index_t const skipped = static_cast<index_t>(offsets[0]) != 0 ? 1 : 0;
      T const* const first = nonempty + (carry.value + before + skipped);
      T total[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) total[r] = begins[r] ? first[number[r]] : init;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        index_t const segment = own + r * simt::warp_size;
        if (segment < segments) totals[segment] = total[r];
      }
    }
  }

 private:
  /// Whether each of the caller's segments, a row of the warp apart, begins at one of n items.
  static __device__ void load_begins(Offset const* offsets, index_t own, index_t segments,
                                     index_t n, bool (&begins)[rows]) {
    index_t at[rows], end[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      index_t const segment = own + r * simt::warp_size;
      at[r] = static_cast<index_t>(offsets[segment < segments ? segment : segments]);
      end[r] = static_cast<index_t>(offsets[segment < segments ? segment + 1 : segments]);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) begins[r] = at[r] >= 0 && at[r] < n && at[r] < end[r];
  }
};

/// How many tiles the totals of this many segments are distributed in.
template <class Offset, class T>
constexpr index_t scatter_tiles(index_t segments) {
  return ceil_div(segments, index_t{scatter_totals_kernel<Offset, T>::tile_segments});
}

/// Launches `scatter_totals_kernel`, for which *numbered is 0 or `segments`. `memory`:
/// `tile_state<position>::bytes` for `scatter_tiles`; its first `reset_bytes` are 0.
template <class Offset, class T, class Totals>
void scatter_totals(std::byte* memory, simt::stream on, Offset const* offsets, index_t segments,
                    index_t const* numbered, item_count n, T const* nonempty, Totals totals,
                    T init) {
  using kernel = scatter_totals_kernel<Offset, T>;
  index_t const tiles = device::scatter_tiles<Offset, T>(segments);
  unsigned const blocks =
      device::blocks_for<kernel, Offset const*, index_t const*, item_count, T const*, Totals, T,
                         tile_state<packed_count>>(tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, offsets,
                       numbered, n, nonempty, totals, init,
                       tile_state<packed_count>(memory, tiles));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
