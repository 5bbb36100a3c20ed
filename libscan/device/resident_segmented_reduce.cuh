// SPDX-License-Identifier: Apache-2.0
// The total of every segment of as many items as all multiprocessors hold in their registers at
// once: a tile for each block, and a barrier of the grid. The fastest way for small n: one launch,
// and nothing to clear.
#pragma once

#include <type_traits>

#include <libscan/device/item_count.cuh>
#include <libscan/device/resident_summaries.cuh>
#include <libscan/device/segment_outputs.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The resident segmented reduction: block k reduces tile k. While the blocks meet, it gathers the
/// totals that end in the tile, and the keys that begin in it, in shared memory, and writes them
/// from there in whole lines.
template <class In, class Keys, class Op, class Tuning>
struct resident_segmented_reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  using tile_type = segmented_tile<T, block_threads, Tuning::items_per_thread / width, width>;
  static constexpr int tile_items = tile_type::tile_items;
  static constexpr bool has_keys = !std::is_same_v<Keys, no_keys>;

  /// The index of item i in shared memory, with gaps, so that lanes that each store a power of 2 of
  /// consecutive items use different banks.
  static LIBSCAN_HOST_DEVICE constexpr int padded_index(int i) { return i + i / simt::warp_size; }

  struct shared_storage {
    typename tile_type::shared_storage tile;
    typename tile_type::head_counts heads;
    block::scan_storage<segment_summary<T>, block_threads> summaries;
    T total[padded_index(tile_items)];
    typename Keys::key_type key[has_keys ? padded_index(tile_items) : 1];
  };

  template <class Totals, class Heads>
  __device__ void operator()(shared_storage& shared, In in, Totals totals, Heads heads, Keys keys,
                             item_count count, Op op, T init, stored_segment<T>* summaries,
                             index_t* segments) const {
    index_t const n = count.get();
    index_t const base = index_t{blockIdx.x} * tile_items;
    int const valid = tile_type::valid_items(n, base);

    tile_type part;
    part.load(in, heads, base, valid, T(op.identity()));
    auto const warp_end = part.template scan_rows<row_prefix::ended>(init, op);
    auto const ranks = part.rank_heads(shared.heads);
    auto const carries = part.join_warps(shared.tile, warp_end, op);
    auto const begun = part.count_heads(shared.heads);
    auto const gather = [&] {
      part.apply(carries.before_warp.value, op);  // the tile's first total still lacks the carry
      part.each_head(ranks, begun.before_warp, [&](index_t rank, int i, T const& total) {
        int const at = padded_index(static_cast<int>(rank));
        if constexpr (has_keys) shared.key[at] = keys.key(base + i);
        shared.total[at] = total;
      });
    };
    auto const before = device::summary_before_block(
        shared.summaries, {begun.tile, carries.tile.value}, summaries, op, gather);
    for (int rank = static_cast<int>(threadIdx.x); rank < begun.tile; rank += block_threads) {
      index_t const segment = before.segments + rank;
      if constexpr (has_keys) keys.store(segment, shared.key[padded_index(rank)]);
      if (segment == 0) continue;
      T const total = shared.total[padded_index(rank)];
      totals[segment - 1] = rank == 0 ? T(op(before.open, total)) : total;
    }
    bool const is_last = blockIdx.x == gridDim.x - 1;
    index_t const all = before.segments + begun.tile;
    if (threadIdx.x == 0 && is_last && n > 0) {
      totals[all - 1] = carries.enter(before.open, op).tile_last;
    }
    if (threadIdx.x == 0 && is_last && segments != nullptr) *segments = all;
  }
};

/// Launches `resident_segmented_reduce_kernel` over n items, which the current device holds at
/// once. `memory`: `resident_summaries_bytes`, in the workspace.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op>
void resident_segmented_reduce(std::byte* memory, simt::stream on, In in, Totals totals,
                               Heads heads, Keys keys, item_count n, Op op, index_t* d_segments,
                               typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = resident_segmented_reduce_kernel<In, Keys, Op, Tuning>;
  simt::launch<kernel>({.blocks = device::resident_tiles(n, kernel::tile_items),
                        .threads = kernel::block_threads,
                        .on = on,
                        .cooperative = true},
                       in, totals, heads, keys, n, op, init,
                       reinterpret_cast<stored_segment<T>*>(memory), d_segments);
}

/// The same if the current device holds n items at once; returns whether it did.
template <class In, class Totals, class Heads, class Keys, class Op>
bool resident_segmented_reduce_if_fits(std::byte* memory, simt::stream on, In in, Totals totals,
                                       Heads heads, Keys keys, item_count n, Op op,
                                       index_t* d_segments, typename Op::value_type init) {
  using T = typename Op::value_type;
  auto const fits = [&]<class Tuning>(Tuning) {
    using kernel = resident_segmented_reduce_kernel<In, Keys, Op, Tuning>;
    if (!device::fits_resident_tiles<Tuning>(n.at_most()) ||
        sizeof(typename kernel::shared_storage) > simt::max_shared_bytes()) {
      return false;
    }
    device::resident_segmented_reduce<Tuning>(memory, on, in, totals, heads, keys, n, op,
                                              d_segments, init);
    return true;
  };
  return fits(short_resident_segmented_tuning<T>{}) || fits(resident_segmented_tuning<T>{});
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
