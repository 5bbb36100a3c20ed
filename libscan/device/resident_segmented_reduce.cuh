// SPDX-License-Identifier: Apache-2.0
// The total of every segment of as much as all multiprocessors hold in their registers at once: a
// tile for each block, and a barrier of the grid. The quickest way for small n: one launch, and
// nothing to clear.
#pragma once

#include <libscan/device/item_count.cuh>
#include <libscan/device/resident_summaries.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The resident segmented reduction: block k reduces tile k.
template <class In, class Op, class Tuning>
struct resident_segmented_reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  using tile_type = segmented_tile<T, block_threads, Tuning::items_per_thread / width, width>;
  static constexpr int tile_items = tile_type::tile_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    typename tile_type::head_counts heads;
    block::scan_storage<segment_summary<T>, block_threads> summaries;
  };

  template <class Totals, class Heads, class Keys>
  __device__ void operator()(shared_storage& shared, In in, Totals totals, Heads heads, Keys keys,
                             item_count count, Op op, T init, stored_summary<T>* summaries,
                             index_t* segments) const {
    index_t const n = count.get();
    index_t const base = index_t{blockIdx.x} * tile_items;
    int const valid = tile_type::valid_items(n, base);

    tile_type part;
    part.load(in, heads, base, valid, T(op.identity()));
    auto const warp_end = part.template scan_rows<row_prefix::ended>(init, op);
    auto const ranks = part.rank_heads(shared.heads);
    auto const ends = part.join_warps(shared.tile, warp_end, op);
    auto const begun = part.count_heads(shared.heads);
    auto const before =
        summary_before_block(shared.summaries, {begun.tile, ends.tile.value}, summaries, op);
    auto const entry = ends.enter(before.open, op);
    part.apply(entry.warp_carry, op);
    part.put_totals(ranks, before.segments + begun.before_warp, base, totals, keys);
    bool const is_last = blockIdx.x == gridDim.x - 1;
    index_t const all = before.segments + begun.tile;
    if (threadIdx.x == 0 && is_last && n > 0) totals[all - 1] = entry.tile_last;
    if (threadIdx.x == 0 && is_last && segments != nullptr) *segments = all;
  }
};

/// Launches `resident_segmented_reduce_kernel` over n items, which the current device holds at
/// once. `memory`: of `resident_summaries_bytes`, in the workspace.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op>
void resident_segmented_reduce(std::byte* memory, simt::stream on, In in, Totals totals,
                               Heads heads, Keys keys, item_count n, Op op, index_t* d_segments,
                               typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = resident_segmented_reduce_kernel<In, Op, Tuning>;
  simt::launch<kernel>({.blocks = resident_tiles(n, kernel::tile_items),
                        .threads = kernel::block_threads,
                        .on = on,
                        .cooperative = true},
                       in, totals, heads, keys, n, op, init,
                       reinterpret_cast<stored_summary<T>*>(memory), d_segments);
}

/// The same if the current device holds n items at once in the smaller tiles; says whether it did.
/// In the larger ones results that go here and there cost more than the pipeline's (H100).
template <class In, class Totals, class Heads, class Keys, class Op>
bool resident_segmented_reduce_if_fits(std::byte* memory, simt::stream on, In in, Totals totals,
                                       Heads heads, Keys keys, item_count n, Op op,
                                       index_t* d_segments, typename Op::value_type init) {
  using tuning = short_resident_segmented_tuning<typename Op::value_type>;
  if (!fits_resident_tiles<tuning>(n.at_most())) return false;
  resident_segmented_reduce<tuning>(memory, on, in, totals, heads, keys, n, op, d_segments, init);
  return true;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
