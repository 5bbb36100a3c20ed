// SPDX-License-Identifier: Apache-2.0
// The summaries of segments that resident blocks exchange: all meet at a barrier of the grid, and
// each joins the summaries of earlier blocks.
#pragma once

#include <algorithm>

#include <libscan/block/scan.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/segment_summary.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A summary in memory, without padding.
template <class T>
using stored_segment = typename total_format<segment_summary<T>>::value_type;

/// The summary of all blocks before the caller's, whose summary is `own`. All threads of the grid
/// call, one-dimensional blocks of more threads than there are blocks; all[k] is for block k. Calls
/// meanwhile() while the blocks meet.
template <class T, int BlockThreads, class Op, class Meanwhile>
__device__ segment_summary<T> summary_before_block(
    block::scan_storage<segment_summary<T>, BlockThreads>& shared, segment_summary<T> own,
    stored_segment<T>* all, Op op, Meanwhile meanwhile) {
  using format = total_format<segment_summary<T>>;
  join_segments<Op> const join{op};
  if (threadIdx.x == 0) all[blockIdx.x] = format::value(own);
  auto const arrival = simt::arrive_grid();
  meanwhile();
  simt::wait_grid(arrival);
  segment_summary<T> other = join.identity();
  if (threadIdx.x < blockIdx.x) other = format::total(all[threadIdx.x], false);
  return block::exclusive_scan(shared, other, join).total;
}

/// Bytes of workspace that any number of resident blocks needs for it.
template <class T, class Tuning>
inline constexpr std::size_t resident_summaries_bytes = Tuning::block_threads *
                                                        sizeof(stored_segment<T>);

/// Whether `Tuning` is that of a resident scan or reduction within segments.
template <class Tuning>
concept tunes_resident_segments = tuned_for<Tuning, scan_algorithm::resident>;

/// The number of blocks for n items: at least one.
inline unsigned resident_tiles(item_count n, int tile_items) {
  return static_cast<unsigned>(std::max(index_t{1}, ceil_div(n.at_most(), index_t{tile_items})));
}

/// Whether the current device holds n items at once, in a tile for each block.
template <class Tuning>
bool fits_resident_tiles(index_t n) {
  constexpr index_t tile_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  return ceil_div(n, tile_items) <= std::min(simt::multiprocessor_count(), Tuning::block_threads);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
