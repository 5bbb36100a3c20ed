// SPDX-License-Identifier: Apache-2.0
// Run-length encoding of as many items as all multiprocessors hold in their registers at once: a
// resident filter of the items that begin runs; the blocks also publish the length of their last
// run so far.
#pragma once

#include <iterator>

#include <apps/filter/resident_filter.cuh>
#include <apps/filter/run_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// One tile per block, of `rows` rows for each warp; at most as many blocks as a block has threads,
/// all of them resident.
template <class Item, class Equal, class Outputs, class Tuning>
struct resident_run_kernel {
  using tile_type = run_tile<Item, Equal, Outputs, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int row_items = tile_type::row_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    block::scan_storage<run_summary, block_threads> scan;
    run_summary before;
  };

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, Outputs out, item_count length,
                             int rows, keep_heads<Equal> heads, run_summary* summaries,
                             index_t* runs) const {
    int const thread = static_cast<int>(threadIdx.x);
    int const most = rows * row_items;
    index_t const base = index_t{blockIdx.x} * most, rest = length.get() - base;
    tile_type tile(base, static_cast<int>(rest < 0 ? 0 : rest < most ? rest : most), rows);
    run_summary const own = tile.summarise(shared.tile, in, heads);
    if (thread == 0) summaries[blockIdx.x] = own;
    simt::sync_grid();

    run_summary others = join_runs::identity();
    if (thread < static_cast<int>(gridDim.x)) others = summaries[thread];
    auto const all = block::exclusive_scan(shared.scan, others, join_runs{});
    if (thread == static_cast<int>(blockIdx.x)) shared.before = all.prefix;
    simt::sync_block();
    tile.store(shared.tile, out, shared.before);
    if (blockIdx.x == 0 && thread == 0) {
      if (all.total.runs > 0) out.end_run(all.total.runs - 1, all.total.open);
      if (runs != nullptr) *runs = all.total.runs;
    }
  }
};

/// Launches `resident_run_kernel` over n items. Requires `fits_resident_filter`. `memory`:
/// `resident_filter_bytes`.
template <class Tuning, class In, class Outputs, class Equal>
void resident_runs(workspace& ws, std::byte* memory, In in, Outputs out, item_count n,
                   keep_heads<Equal> heads, index_t* d_runs) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = resident_run_kernel<item, Equal, Outputs, Tuning>;
  resident_shape const shape(n.at_most(), kernel::row_items, Tuning::items_per_thread);
  simt::launch<kernel>({.blocks = static_cast<unsigned>(shape.blocks),
                        .threads = kernel::block_threads,
                        .on = ws.stream(),
                        .cooperative = true},
                       in, out, n, shape.rows, heads, reinterpret_cast<run_summary*>(memory),
                       d_runs);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
