// SPDX-License-Identifier: Apache-2.0
// Filter of as many items as all multiprocessors hold in their registers at once: every block takes
// one tile, all meet at a barrier of the grid, and every block adds up the counts of the others.
// The fastest way for small n: one launch, nothing to clear, and a split knows where its second
// half begins.
#pragma once

#include <iterator>

#include <apps/filter/filter_tile.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/resident_scan.cuh>
#include <libscan/device/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// An output that begins after the last kept item.
template <class Out>
struct behind_kept {
  Out out;
};

/// One tile per block, of `rows` rows for each warp; at most as many blocks as a block has threads,
/// all of them resident.
template <class Item, class Rule, class Outputs, class Tuning>
struct resident_filter_kernel {
  using tile_type = filter_tile<Item, Rule, Outputs, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int row_items = tile_type::row_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    block::scan_storage<index_t, block_threads> scan;
    index_t before;
  };

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, Outputs out, item_count length,
                             int rows, Rule rule, int* kept, index_t* count) const {
    int const thread = static_cast<int>(threadIdx.x);
    int const most = rows * row_items;
    index_t const base = index_t{blockIdx.x} * most, rest = length.get() - base;
    tile_type tile(base, static_cast<int>(rest < 0 ? 0 : rest < most ? rest : most), rows);
    int const own = tile.ask(shared.tile, in, rule);
    if (thread == 0) kept[blockIdx.x] = own;
    auto const arrival = simt::arrive_grid();
    tile.compact(shared.tile);
    simt::wait_grid(arrival);

    index_t const others = thread < static_cast<int>(gridDim.x) ? kept[thread] : 0;
    auto const all = block::exclusive_scan(shared.scan, others, plus<index_t>{});
    if (thread == static_cast<int>(blockIdx.x)) shared.before = all.prefix;
    simt::sync_block();
    tile.store(shared.tile, out, beginning(out.rejected, all.total), shared.before);
    if (count != nullptr && blockIdx.x == 0 && thread == 0) *count = all.total;
  }

 private:
  template <class Rejected>
  static __device__ auto beginning(Rejected rejected, index_t /*kept*/) {
    return device::beginning(rejected);
  }
  template <class Out>
  static __device__ Out beginning(behind_kept<Out> rejected, index_t kept) {
    return rejected.out + kept;
  }
};

/// Bytes of workspace of a resident filter of any size in which each block publishes a Summary.
template <class Tuning, class Summary = int>
inline constexpr std::size_t resident_filter_bytes = Tuning::block_threads * sizeof(Summary);

/// Whether the current device holds n Items of such a filter at once, with any outputs, in
/// registers and in shared memory: some GPUs have too little for the tile.
template <class Item, class Tuning>
bool fits_resident_filter(index_t n) {
  if (!Tuning::fits) return false;
  using most = resident_filter_kernel<Item, keep_marked<byte_mask>,
                                      filter_outputs<Item*, index_t*, Item*>, Tuning>;
  // Blocks that encode runs exchange twice as much.
  constexpr std::size_t of_runs = sizeof(block::scan_storage<index_t, Tuning::block_threads>) + 8;
  index_t const blocks = resident_shape(n, most::row_items, Tuning::items_per_thread).blocks;
  return blocks <= simt::multiprocessor_count() && blocks <= Tuning::block_threads &&
         sizeof(typename most::shared_storage) + of_runs <= simt::shared_room();
}

/// Launches `resident_filter_kernel` over n items. Requires `fits_resident_filter`. `memory`:
/// `resident_filter_bytes`.
template <class Tuning, class In, class Outputs, class Rule>
void resident_filter(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                     index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = resident_filter_kernel<item, Rule, Outputs, Tuning>;
  resident_shape const shape(n.at_most(), kernel::row_items, Tuning::items_per_thread);
  simt::launch<kernel>({.blocks = static_cast<unsigned>(shape.blocks),
                        .threads = kernel::block_threads,
                        .on = ws.stream(),
                        .cooperative = true},
                       in, out, n, shape.rows, rule, reinterpret_cast<int*>(memory), d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
