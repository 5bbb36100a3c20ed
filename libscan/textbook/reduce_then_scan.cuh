// SPDX-License-Identifier: Apache-2.0
// Reduce-then-scan: a block sums a segment of the input; one block scans the sums; then each block
// scans its segment, starting with its carry (Merrill & Grimshaw, "Parallel Scan for Stream
// Architectures", 2009). Three launches for any n, and one write less.
#pragma once

#include <libscan/block/reduce.cuh>
#include <libscan/textbook/one_block.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// sums[b] = the items of segment b. One block per segment.
template <int MaxThreads, class Op>
struct reduce_segments_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;
  using shared_storage = block::tree_reduce_storage<T, MaxThreads>;

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, index_t n, index_t segment_items, Op op,
                             T* sums) const {
    index_t const begin = index_t{blockIdx.x} * segment_items;
    index_t const end = n - begin < segment_items ? n : begin + segment_items;
    T sum = op.identity();
    for (index_t base = begin; base < end; base += blockDim.x) {
      index_t const i = base + threadIdx.x;
      T x = op.identity();
      if (i < end) x = static_cast<T>(in[i]);
      sum = op(sum, block::tree_reduce(shared, x, op, static_cast<int>(blockDim.x)));
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

    simt::launch<reduce_segments_kernel<MaxThreads, Op>>(grid, in, n, segment, op, sums);
    one_block<BlockScan, MaxThreads>(this->threads())
        .template scan<scan_kind::exclusive>(ws, sums, sums, segments, op, d_total, init);
    simt::launch<scan_segments_kernel<Kind, BlockScan, MaxThreads, Op>>(
        grid, in, out, n, segment, op, static_cast<T const*>(sums));
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
