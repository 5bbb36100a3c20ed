// SPDX-License-Identifier: Apache-2.0
// Scan-then-fan: scan the tiles, scan their sums, add each tile's prefix to all its items (Harris,
// Sengupta & Owens, GPU Gems 3, 2007; "Arrays of Arbitrary Size" and "scan_largearray" of Harris
// 2007; the "CUDA Prefix Sum" walkthrough draws it step by step).
#pragma once

#include <libscan/textbook/one_block.cuh>
#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// Scans every tile by itself and stores its sum.
template <scan_kind Kind, class BlockScan, int MaxThreads, class Op>
struct scan_tiles_kernel {
  using T = typename Op::value_type;
  using tile = textbook_tile<BlockScan, MaxThreads>;
  static constexpr int block_threads = MaxThreads;
  using shared_storage = typename tile::template storage<T>;

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, T* out, index_t n, Op op,
                             T* sums) const {
    for (index_t at = blockIdx.x; at * tile::items() < n; at += gridDim.x) {
      T items[tile::items_per_thread];
      tile::load(in, at * tile::items(), n, T(op.identity()), items);
      T const sum = block::textbook::scan_tile<Kind, BlockScan>(shared, items, op);
      tile::store(out, at * tile::items(), n, items);
      if (block::textbook::this_thread() == 0) sums[at] = sum;
    }
  }
};

/// Recurses on the tiles' sums until they fit one block: 2 L - 1 launches for L levels of tiles.
/// Reads 2 n, writes 2 n; the sums of a level are the n items of the next. Between its launches the
/// output holds the scans of single tiles; they wait in the workspace if the output is not memory
/// of T. Throws `invalid_argument` for tiles of one item, which have as many sums as items.
template <class BlockScan, int MaxThreads>
struct scan_then_fan : block_strategy<BlockScan, MaxThreads> {
  static constexpr scan_strategy which = scan_strategy::scan_then_fan;

  constexpr scan_then_fan() : scan_then_fan(MaxThreads) {}
  explicit constexpr scan_then_fan(int threads) : block_strategy<BlockScan, MaxThreads>(threads) {
    if (this->tile_items() == 1) {
      throw invalid_argument("blocks of 1 thread with 1 item; expected 2 items or more");
    }
  }

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t n) const {
    if (n <= this->tile_items()) return 0;
    index_t const tiles = this->tiles(n);
    return strategies::array_bytes<T>(tiles) +
           strategies::array_bytes<T>(strategies::values_in_workspace<T, Out>(n)) +
           workspace_bytes<T, T*>(tiles);
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) const {
    if (n <= this->tile_items()) {
      one_block<BlockScan, MaxThreads>(this->threads())
          .template scan<Kind>(ws, in, out, n, op, d_total, init);
      return;
    }
    index_t const tiles = this->tiles(n);
    array_maker memory(ws.reserve(workspace_bytes<T, Out>(n)));
    T* const sums = memory.make<T>(tiles);
    T* const scanned =
        strategies::values_kept(out, memory.make<T>(strategies::values_in_workspace<T, Out>(n)));
    workspace rest(memory.rest(), workspace_bytes<T, T*>(tiles), ws.stream());

    simt::launch_config const grid = this->grid_of(n, ws);
    simt::launch<scan_tiles_kernel<Kind, BlockScan, MaxThreads, Op>>(grid, in, scanned, n, op,
                                                                     sums);
    scan<scan_kind::exclusive>(rest, sums, sums, tiles, op, d_total, init);
    simt::launch<uniform_add_kernel<MaxThreads, BlockScan::items_per_thread, Op>>(
        grid, static_cast<T const*>(sums), static_cast<T const*>(scanned), out, n, op);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
