// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of as much as all multiprocessors hold in their registers at once: every block
// scans one tile, all meet at a barrier of the grid, and every block adds up the totals before its
// own. The quickest way for small n: one launch, and nothing to clear.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/block/scan.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/device/warp_rows.cuh>
#include <libscan/device/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The resident scan: one tile per block, at most as many blocks as a block has threads, all of
/// them resident.
template <scan_kind Kind, class Op, class Tuning>
struct resident_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int rows = Tuning::rows;
  static constexpr int width = Tuning::vector_items;
  static constexpr int warp_items = warp_rows<T, rows, width>::items;
  static constexpr int tile_items = block_threads / simt::warp_size * warp_items;

  using shared_storage = block::scan_storage<T, block_threads>;

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In in, Out out, item_count count, Op op,
                             T init, T* totals, T* total) const {
    index_t const n = count.get();
    int const thread = static_cast<int>(threadIdx.x);
    index_t const base = index_t{blockIdx.x} * tile_items + thread / simt::warp_size * warp_items;
    index_t const rest = n - base;
    int const valid = static_cast<int>(rest < 0 ? 0 : rest < warp_items ? rest : warp_items);

    warp_rows<T, rows, width> items;
    items.load(in + base, valid, op);
    T const warp_total = items.template scan<Kind>(op.identity(), op);
    auto const warps = block::scan_of_warps(shared, warp_total, op);
    if (thread == 0) totals[blockIdx.x] = warps.total;
    simt::sync_grid();

    T const other = thread < static_cast<int>(blockIdx.x) ? totals[thread] : op.identity();
    T const carry = op(init, block::exclusive_scan(shared, other, op).total);
    if (blockIdx.x == gridDim.x - 1 && thread == 0 && total != nullptr) {
      *total = op(carry, warps.total);
    }
    items.prepend(op(carry, warps.prefix), op);
    items.store(out + base, valid);
  }
};

/// Bytes of workspace a resident scan needs, whatever its size.
template <class T, class Tuning>
inline constexpr std::size_t resident_scan_bytes = Tuning::block_threads * sizeof(T);

/// The most items a resident scan takes on the current device.
template <class T, class Tuning>
index_t resident_scan_limit() {
  index_t const blocks = simt::multiprocessor_count();
  index_t const most = Tuning::block_threads;
  index_t const tile_items = index_t{Tuning::block_threads} * Tuning::rows * Tuning::vector_items;
  return (blocks < most ? blocks : most) * tile_items;
}

/// Launches `resident_scan_kernel` over n items, n.at_most() <= resident_scan_limit().
template <scan_kind Kind, class Tuning, class In, class Out, class Op>
void resident_scan(workspace& ws, In in, Out out, item_count n, Op op,
                   typename Op::value_type* d_total, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = resident_scan_kernel<Kind, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  T* const totals = reinterpret_cast<T*>(ws.reserve(resident_scan_bytes<T, Tuning>));
  simt::launch<kernel>({.blocks = static_cast<unsigned>(tiles == 0 ? 1 : tiles),
                        .threads = kernel::block_threads,
                        .on = ws.stream(),
                        .cooperative = true},
                       in, out, n, op, init, totals, d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
