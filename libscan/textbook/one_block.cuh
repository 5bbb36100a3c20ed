// SPDX-License-Identifier: Apache-2.0
// A textbook scan by a single block, of at most one tile of items (Harris 2007, Listings 1 and 2;
// lecture, "A Kogge-Stone Parallel Scan Algorithm"): the last level of the hierarchical strategies.
#pragma once

#include <string>

#include <libscan/textbook/names.hpp>
#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// Scans one tile of n items.
template <scan_kind Kind, class BlockScan, int MaxThreads, class Op>
struct one_block_kernel {
  using T = typename Op::value_type;
  using tile = textbook_tile<BlockScan, MaxThreads>;
  static constexpr int block_threads = MaxThreads;
  using shared_storage = typename tile::template storage<T>;

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In in, Out out, index_t n, Op op, T init,
                             T* total) const {
    // 1 load
    T items[tile::items_per_thread];
    tile::load(in, 0, n, T(op.identity()), items);
    // 2 scan
    T const sum = block::textbook::scan_tile<Kind, BlockScan>(shared, items, op);
    // 3 store
    tile::store(out, 0, n, init, items, op);
    if (total != nullptr && block::textbook::this_thread() == 0) *total = op(init, sum);
  }
};

/// One launch of one block, with no more warps than n items need. Reads n, writes n. Throws
/// `invalid_argument` if n is more than a tile has items.
template <class BlockScan, int MaxThreads>
struct one_block : block_strategy<BlockScan, MaxThreads> {
  using block_strategy<BlockScan, MaxThreads>::block_strategy;
  static constexpr scan_strategy which = scan_strategy::one_block;

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t) const {
    return 0;
  }

  template <scan_kind Kind, class In, class Out, class Op>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, typename Op::value_type* d_total,
            typename Op::value_type init) const {
    if (n > this->tile_items()) {
      throw invalid_argument("scan of " + std::to_string(n) + " items by one block of " +
                             std::to_string(this->threads()) + " threads; expected at most " +
                             std::to_string(this->tile_items()));
    }
    index_t const needed = ceil_div(n, index_t{BlockScan::items_per_thread});
    index_t const in_warps = ceil_div(needed, index_t{simt::warp_size}) * simt::warp_size;
    index_t const threads = in_warps < this->threads() ? in_warps : this->threads();
    simt::launch<one_block_kernel<Kind, BlockScan, MaxThreads, Op>>(
        {.blocks = 1, .threads = static_cast<unsigned>(threads), .on = ws.stream()}, in, out, n, op,
        init, d_total);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
