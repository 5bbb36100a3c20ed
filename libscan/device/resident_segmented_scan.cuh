// SPDX-License-Identifier: Apache-2.0
// Scan within segments of as many items as all multiprocessors hold in their registers at once: a
// tile for each block, and a barrier of the grid. The fastest way for small n: one launch, and
// nothing to clear.
#pragma once

#include <algorithm>

#include <libscan/device/item_count.cuh>
#include <libscan/device/resident_summaries.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The resident scan within segments: block k scans tile k.
template <scan_kind Kind, class In, class Out, class Op, class Tuning>
struct resident_segmented_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int width =
      warp::row_width<std::max(warp::item_bytes<In, T>, warp::item_bytes<Out, T>),
                      Tuning::items_per_thread>;
  using tile_type = segmented_tile<T, block_threads, Tuning::items_per_thread / width, width>;
  static constexpr int tile_items = tile_type::tile_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    block::scan_storage<segment_summary<T>, block_threads> summaries;
  };

  template <class Heads>
  __device__ void operator()(shared_storage& shared, In in, Out out, Heads heads, item_count count,
                             Op op, T init, stored_segment<T>* summaries) const {
    constexpr row_prefix what =
        Kind == scan_kind::inclusive ? row_prefix::inclusive : row_prefix::exclusive;
    index_t const base = index_t{blockIdx.x} * tile_items;
    int const valid = tile_type::valid_items(count.get(), base);

    tile_type part;
    part.load(in, heads, base, valid, T(op.identity()));
    auto const carries = part.join_warps(shared.tile, part.template scan_rows<what>(init, op), op);
    auto const written = device::items_in_segments(heads, base);
    segment_summary<T> const own{carries.tile.has_head ? 1 : 0, carries.tile.value};
    auto const before = device::summary_before_block(shared.summaries, own, summaries, op, [] {});
    part.apply(carries.enter(before.open, op).warp_carry, op);
    part.store(out, base, valid, written);
  }
};

/// Launches `resident_segmented_scan_kernel` over n items, which the current device holds at once.
/// `memory`: `resident_summaries_bytes`, in the workspace.
template <scan_kind Kind, class Tuning, class In, class Out, class Heads, class Op>
void resident_segmented_scan(std::byte* memory, simt::stream on, In in, Out out, Heads heads,
                             item_count n, Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = resident_segmented_scan_kernel<Kind, In, Out, Op, Tuning>;
  simt::launch<kernel>({.blocks = device::resident_tiles(n, kernel::tile_items),
                        .threads = kernel::block_threads,
                        .on = on,
                        .cooperative = true},
                       in, out, heads, n, op, init, reinterpret_cast<stored_segment<T>*>(memory));
}

/// The same if the current device holds n items at once; returns whether it did.
template <scan_kind Kind, class In, class Out, class Heads, class Op>
bool resident_segmented_scan_if_fits(std::byte* memory, simt::stream on, In in, Out out,
                                     Heads heads, item_count n, Op op,
                                     typename Op::value_type init) {
  using few = short_resident_segmented_tuning<typename Op::value_type>;
  using more = resident_segmented_tuning<typename Op::value_type>;
  if (device::fits_resident_tiles<few>(n.at_most())) {
    device::resident_segmented_scan<Kind, few>(memory, on, in, out, heads, n, op, init);
    return true;
  }
  if (!device::fits_resident_tiles<more>(n.at_most())) return false;
  device::resident_segmented_scan<Kind, more>(memory, on, in, out, heads, n, op, init);
  return true;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
