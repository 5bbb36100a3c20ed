// SPDX-License-Identifier: Apache-2.0
// Scan-then-propagate: levels of tiles, scanned from the bottom up and added to from the top down
// (CUDPP; Sengupta, Harris, Zhang & Owens 2007, Sengupta, Harris & Garland 2008). A refinement of
// scan-then-fan: a thread scans vectors of consecutive items by itself, the block only their sums.
#pragma once

#include <libscan/block/tile_io.cuh>
#include <libscan/textbook/names.hpp>
#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// Consecutive items that a thread scans by itself (CUDPP's int4).
inline constexpr int vector_items = 4;

/// Scans every tile by itself, with `carry` before it, and stores its sum unless `sums` is null. A
/// tile has a vector where scan-then-fan's has an item.
template <scan_kind Kind, class BlockScan, int MaxThreads, class Op>
struct scan_vectors_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;
  static constexpr int vectors = BlockScan::items_per_thread;

  struct shared_storage {
    block::tile_storage<T, MaxThreads, vector_items> row;
    typename BlockScan::template storage<T, MaxThreads> scan;
  };

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In in, Out out, index_t n, Op op, T carry,
                             T* sums) const {
    int const threads = block::textbook::block_threads();
    int const row_items = threads * vector_items;
    for (index_t at = blockIdx.x; at * row_items * vectors < n; at += gridDim.x) {
      index_t const base = at * row_items * vectors;
      // 1 load a vector from each row of the tile, and sum it up
      T items[vectors][vector_items];
      T prefix[vectors];
#pragma unroll
      for (int row = 0; row < vectors; ++row) {
        index_t const first = base + row * row_items;
        block::load_tile(shared.row, in, first, valid(n - first, row_items), T(op.identity()),
                         items[row], threads);
        prefix[row] = items[row][0];
#pragma unroll
        for (int k = 1; k < vector_items; ++k) prefix[row] = op(prefix[row], items[row][k]);
      }
      // 2 scan the vectors' sums
      T const sum =
          block::textbook::scan_tile<scan_kind::exclusive, BlockScan>(shared.scan, prefix, op);
      if (sums != nullptr && threadIdx.x == 0) sums[at] = op(carry, sum);
        // 3 scan each vector from its prefix on, and store it
#pragma unroll
      for (int row = 0; row < vectors; ++row) {
        T before = op(carry, prefix[row]);
#pragma unroll
        for (int k = 0; k < vector_items; ++k) {
          T const next = op(before, items[row][k]);
          items[row][k] = Kind == scan_kind::inclusive ? next : before;
          before = next;
        }
        index_t const first = base + row * row_items;
        block::store_tile(shared.row, out, first, valid(n - first, row_items), items[row], threads);
      }
    }
  }

 private:
  /// How many items of a row exist, of those that are `left` from its first one on.
  static __device__ int valid(index_t left, int row_items) {
    return static_cast<int>(left <= 0 ? 0 : left < row_items ? left : row_items);
  }
};

/// 2 L - 1 launches for L levels of tiles: L up, L - 1 down. Reads 2 n, writes 2 n, on every level
/// but the last, which is one tile. Between its launches the output holds the scans of single
/// tiles; they wait in the workspace if the output is not memory of T.
template <class BlockScan, int MaxThreads>
struct scan_then_propagate : block_strategy<BlockScan, MaxThreads, vector_items> {
  using block_strategy<BlockScan, MaxThreads, vector_items>::block_strategy;
  static constexpr scan_strategy which = scan_strategy::scan_then_propagate;

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t n) const {
    bool const one_tile = n <= this->tile_items();
    std::size_t bytes =
        one_tile ? 0 : strategies::array_bytes<T>(strategies::values_in_workspace<T, Out>(n));
    while (n > this->tile_items()) {
      n = this->tiles(n);
      bytes += strategies::array_bytes<T>(n);
    }
    return bytes;
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) const {
    array_maker memory(ws.reserve(workspace_bytes<T, Out>(n)));
    if (n <= this->tile_items()) {
      up<Kind>(ws, in, out, n, op, init, d_total);
      return;
    }
    T* const scanned =
        strategies::values_kept(out, memory.make<T>(strategies::values_in_workspace<T, Out>(n)));

    // 1 up: scan the tiles of each level; their sums are the next one
    T* level[max_levels];
    index_t size[max_levels];
    int top = 0;
    size[0] = this->tiles(n);
    level[0] = memory.make<T>(size[0]);
    up<Kind>(ws, in, scanned, n, op, T(op.identity()), level[0]);
    for (; size[top] > this->tile_items(); ++top) {
      size[top + 1] = this->tiles(size[top]);
      level[top + 1] = memory.make<T>(size[top + 1]);
      up<scan_kind::exclusive>(ws, level[top], level[top], size[top], op, T(op.identity()),
                               level[top + 1]);
    }
    // 2 the last level is one tile, whose carry is `init`
    up<scan_kind::exclusive>(ws, level[top], level[top], size[top], op, init, d_total);

    // 3 down: add its carry to each tile's items
    for (; top > 0; --top) down(ws, level[top], level[top - 1], level[top - 1], size[top - 1], op);
    down(ws, level[0], scanned, out, n, op);
  }

 private:
  static constexpr int max_levels = 32;  // each is at least four times smaller than the one below

  template <scan_kind Kind, class In, class Out, class Op, class T>
  void up(workspace& ws, In in, Out out, index_t n, Op op, T carry, T* sums) const {
    simt::launch<scan_vectors_kernel<Kind, BlockScan, MaxThreads, Op>>(this->grid_of(n, ws), in,
                                                                       out, n, op, carry, sums);
  }

  template <class T, class Out, class Op>
  void down(workspace& ws, T const* before, T const* in, Out out, index_t n, Op op) const {
    constexpr int each = BlockScan::items_per_thread * vector_items;
    simt::launch<uniform_add_kernel<MaxThreads, each, Op>>(this->grid_of(n, ws), before, in, out, n,
                                                           op);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
