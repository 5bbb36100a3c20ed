// SPDX-License-Identifier: Apache-2.0
// Scan-then-propagate: levels of tiles, scanned on the way up and added to on the way down (CUDPP;
// Sengupta, Harris, Zhang & Owens 2007, Sengupta, Harris & Garland 2008). A step on from
// scan-then-fan: a thread scans vectors of consecutive items by itself, the block only their sums.
#pragma once

#include <libscan/block/tile_io.cuh>
#include <libscan/device/strategies/names.hpp>
#include <libscan/device/strategies/uniform_add.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// Consecutive items that a thread scans by itself (CUDPP's int4).
inline constexpr int vector_items = 4;

/// Scans every tile by itself, with `carry` before it, and leaves its sum unless `sums` is null. A
/// tile has a vector where scan-then-fan's has an item.
template <scan_kind Kind, class BlockScan, int BlockThreads, class Op>
struct scan_vectors_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = BlockThreads;
  static constexpr int vectors = BlockScan::items_per_thread;
  static constexpr int row_items = BlockThreads * vector_items;
  static constexpr int tile_items = row_items * vectors;

  struct shared_storage {
    block::tile_storage<T, BlockThreads, vector_items> row;
    typename BlockScan::template storage<T, BlockThreads> scan;
  };

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In in, Out out, index_t n, Op op, T carry,
                             T* sums) const {
    for (index_t base = index_t{blockIdx.x} * tile_items; base < n;
         base += index_t{gridDim.x} * tile_items) {
      // 1 load a vector from each row of the tile, and sum it up
      T items[vectors][vector_items];
      T prefix[vectors];
#pragma unroll
      for (int row = 0; row < vectors; ++row) {
        index_t const first = base + row * row_items;
        block::load_tile(shared.row, in, first, valid(first, n), T(op.identity()), items[row]);
        prefix[row] = items[row][0];
#pragma unroll
        for (int k = 1; k < vector_items; ++k) prefix[row] = op(prefix[row], items[row][k]);
      }
      // 2 scan the vectors' sums
      T const sum =
          block::textbook::scan_tile<scan_kind::exclusive, BlockScan>(shared.scan, prefix, op);
      if (sums != nullptr && threadIdx.x == 0) sums[base / tile_items] = op(carry, sum);
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
        block::store_tile(shared.row, out, first, valid(first, n), items[row]);
      }
    }
  }

 private:
  /// How many items of the row that begins at `first` exist.
  static __device__ int valid(index_t first, index_t n) {
    return static_cast<int>(n <= first ? 0 : n - first < row_items ? n - first : row_items);
  }
};

/// 2 L - 1 launches for L levels of tiles: L up, L - 1 down. Reads 2 n, writes 2 n, on every level
/// but the last, which is one tile. Between its launches the output holds the tiles' own scans;
/// they wait in the workspace if it is not memory of T.
template <class BlockScan, int BlockThreads>
struct scan_then_propagate {
  static constexpr scan_strategy which = scan_strategy::scan_then_propagate;
  static constexpr index_t tile_items =
      index_t{BlockThreads} * BlockScan::items_per_thread * vector_items;

  template <class T, class Out>
  static constexpr std::size_t workspace_bytes(index_t n) {
    std::size_t bytes = n <= tile_items ? 0 : array_bytes<T>(values_kept_apart<T, Out>(n));
    while (n > tile_items) {
      n = ceil_div(n, tile_items);
      bytes += array_bytes<T>(n);
    }
    return bytes;
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  static void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) {
    array_maker memory(ws.reserve(workspace_bytes<T, Out>(n)));
    if (n <= tile_items) {
      up<Kind>(ws, in, out, n, op, init, d_total);
      return;
    }
    T* const scanned = values_kept(out, memory.make<T>(values_kept_apart<T, Out>(n)));

    // 1 up: scan the tiles of each level; their sums are the next one
    T* level[most_levels];
    index_t size[most_levels];
    int top = 0;
    size[0] = ceil_div(n, tile_items);
    level[0] = memory.make<T>(size[0]);
    up<Kind>(ws, in, scanned, n, op, T(op.identity()), level[0]);
    for (; size[top] > tile_items; ++top) {
      size[top + 1] = ceil_div(size[top], tile_items);
      level[top + 1] = memory.make<T>(size[top + 1]);
      up<scan_kind::exclusive>(ws, level[top], level[top], size[top], op, T(op.identity()),
                               level[top + 1]);
    }
    // 2 the last level is one tile, before which only `init` comes
    up<scan_kind::exclusive>(ws, level[top], level[top], size[top], op, init, d_total);

    // 3 down: add what comes before each tile to its items
    for (; top > 0; --top) down(ws, level[top], level[top - 1], level[top - 1], size[top - 1], op);
    down(ws, level[0], scanned, out, n, op);
  }

 private:
  static constexpr int most_levels = 32;  // each is at least four times smaller than the one below

  template <scan_kind Kind, class In, class Out, class Op, class T>
  static void up(workspace& ws, In in, Out out, index_t n, Op op, T carry, T* sums) {
    simt::launch<scan_vectors_kernel<Kind, BlockScan, BlockThreads, Op>>(
        {.blocks = grid_for(ceil_div(n, tile_items)), .threads = BlockThreads, .on = ws.stream()},
        in, out, n, op, carry, sums);
  }

  template <class T, class Out, class Op>
  static void down(workspace& ws, T const* before, T const* in, Out out, index_t n, Op op) {
    simt::launch<uniform_add_kernel<BlockThreads, static_cast<int>(tile_items), Op>>(
        {.blocks = grid_for(ceil_div(n, tile_items)), .threads = BlockThreads, .on = ws.stream()},
        before, in, out, n, op);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
