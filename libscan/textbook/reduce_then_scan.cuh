// SPDX-License-Identifier: Apache-2.0
// Reduce-then-scan: a block sums a segment of the input; one block scans the sums; then each block
// scans its segment, starting with its carry (Merrill & Grimshaw, "Parallel Scan for Stream
// Architectures", 2009). Three launches for any n, and one write less.
#pragma once

#include <libscan/textbook/block/raked.cuh>
#include <libscan/textbook/one_block.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// How a block sums items before BlockScan scans them: one per thread, by a tree.
template <class BlockScan, int MaxThreads>
struct block_sum {
  static constexpr int items_per_thread = 1;
  template <class T>
  using storage = block::tree_reduce_storage<T, MaxThreads>;

  template <class T, class Op>
  static __device__ T of(storage<T>& shared, T const (&x)[1], Op op) {
    return block::tree_reduce(shared, x[0], op, block::textbook::block_threads());
  }
};

/// As many items per thread as are scanned later.
template <class BlockScan, int Vector, int MaxThreads>
struct block_sum<block::textbook::raked<BlockScan, Vector>, MaxThreads> {
  using raked = block::textbook::raked<BlockScan, Vector>;
  static constexpr int items_per_thread = raked::items_per_thread;
  template <class T>
  using storage = typename raked::template storage<T, MaxThreads>;

  template <class T, class Op>
  static __device__ T of(storage<T>& shared, T const (&x)[items_per_thread], Op op) {
    return raked::total(shared, x, op);
  }
};

/// sums[b] = the items of segment b. One block per segment.
template <class BlockScan, int MaxThreads, class Op>
struct reduce_segments_kernel {
  using T = typename Op::value_type;
  using summed = block_sum<BlockScan, MaxThreads>;
  static constexpr int block_threads = MaxThreads;
  using shared_storage = typename summed::template storage<T>;

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, index_t n, index_t segment_items, Op op,
                             T* sums) const {
    index_t const begin = index_t{blockIdx.x} * segment_items;
    index_t const end = n - begin < segment_items ? n : begin + segment_items;
    index_t const threads = block::textbook::block_threads();
    T sum = op.identity();
    for (index_t base = begin; base < end; base += threads * summed::items_per_thread) {
      T x[summed::items_per_thread];
#pragma unroll
      for (int k = 0; k < summed::items_per_thread; ++k) {
        index_t const i = base + k * threads + threadIdx.x;
        x[k] = i < end ? static_cast<T>(in[i]) : T(op.identity());
      }
      sum = op(sum, summed::of(shared, x, op));
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
};

/// Scans segment b from before[b] on, tile by tile. One block per segment.
template <scan_kind Kind, class BlockScan, int MaxThreads, class Op>
struct scan_segments_kernel {
  using T = typename Op::value_type;
  using tile = textbook_tile<BlockScan, MaxThreads>;
  static constexpr int block_threads = MaxThreads;
  using shared_storage = typename tile::template storage<T>;

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In in, Out out, index_t n,
                             index_t segment_items, Op op, T const* before) const {
    index_t const begin = index_t{blockIdx.x} * segment_items;
    index_t const end = n - begin < segment_items ? n : begin + segment_items;
    T carry = before[blockIdx.x];
    for (index_t base = begin; base < end; base += tile::items()) {
      T items[tile::items_per_thread];
      tile::load(in, base, end, T(op.identity()), items);
      T const sum = block::textbook::scan_tile<Kind, BlockScan>(shared, items, op);
      tile::store(out, base, end, carry, items, op);
      carry = op(carry, sum);
    }
  }
};

/// 3 launches. Reads 2 n, writes n. As many segments as sums that one block can scan, not as many
/// as fit the GPU: results do not depend on the machine.
template <class BlockScan, int MaxThreads>
struct reduce_then_scan : block_strategy<BlockScan, MaxThreads> {
  using block_strategy<BlockScan, MaxThreads>::block_strategy;
  static constexpr scan_strategy which = scan_strategy::reduce_then_scan;

  /// Items of a segment: whole tiles.
  constexpr index_t segment_items(index_t n) const {
    return libscan::ceil_div(this->tiles(n), this->tile_items()) * this->tile_items();
  }

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t n) const {
    return strategies::array_bytes<T>(libscan::ceil_div(n, segment_items(n)));
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) const {
    index_t const segment = segment_items(n);
    index_t const segments = ceil_div(n, segment);
    auto* const sums = reinterpret_cast<T*>(ws.reserve(workspace_bytes<T, Out>(n)));
    simt::launch_config const grid{.blocks = static_cast<unsigned>(segments),
                                   .threads = static_cast<unsigned>(this->threads()),
                                   .on = ws.stream()};

    simt::launch<reduce_segments_kernel<BlockScan, MaxThreads, Op>>(grid, in, n, segment, op, sums);
    one_block<BlockScan, MaxThreads>(this->threads())
        .template scan<scan_kind::exclusive>(ws, sums, sums, segments, op, d_total, init);
    simt::launch<scan_segments_kernel<Kind, BlockScan, MaxThreads, Op>>(
        grid, in, out, n, segment, op, static_cast<T const*>(sums));
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
