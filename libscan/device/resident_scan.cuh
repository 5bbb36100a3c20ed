// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of as many items as all multiprocessors hold in their registers at once: every
// block scans one tile, all meet at a barrier of the grid, and every block adds up the totals of
// earlier blocks. The fastest way for small n: one launch, and nothing to clear.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/block/scan.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/resident_kernel.cuh>
#include <libscan/device/warp_rows.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The resident scan: one tile per block, of `rows` rows for each warp; at most as many blocks as a
/// block has threads, all of them resident.
template <scan_kind Kind, class Op, class Tuning>
struct resident_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  using rows_type = warp_rows<T, Tuning::rows, Tuning::vector_items>;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int row_items = warps * rows_type::row_items;

  using shared_storage = block::scan_storage<T, block_threads>;

  template <class In, class Out, class Total>
  __device__ void operator()(shared_storage& shared, In in, Out out, item_count count, int rows,
                             Op op, T init, T* totals, Total* total) const {
    index_t const n = count.get();
    int const thread = static_cast<int>(threadIdx.x);
    int const warp_items = rows * rows_type::row_items;
    index_t const base = (index_t{blockIdx.x} * warps + thread / simt::warp_size) * warp_items;
    index_t const rest = n - base;
    int const valid = static_cast<int>(rest < 0 ? 0 : rest < warp_items ? rest : warp_items);

    rows_type items;
    items.load(libscan::at_length(in, n) + base, valid, op);
    T const warp_total = items.template scan<Kind>(op.identity(), op);
    auto const of_block = block::scan_of_warps(shared, warp_total, op);
    if (thread == 0) totals[blockIdx.x] = of_block.total;
    simt::sync_grid();

    T other = op.identity();
    if (thread < static_cast<int>(blockIdx.x)) other = totals[thread];
    T const carry = op(init, block::exclusive_scan(shared, other, op).total);
    if (blockIdx.x == gridDim.x - 1 && thread == 0 && total != nullptr) {
      *total = op(carry, of_block.total);
    }
    items.prepend(op(carry, of_block.prefix), op);
    items.store(libscan::at_length(out, n) + base, valid);
  }
};

/// Bytes of workspace of a resident scan of any size.
template <class T, class Tuning>
inline constexpr std::size_t resident_scan_bytes = Tuning::block_threads * sizeof(T);

/// Whether the current device holds n items of a resident scan at once.
template <class Op, class Tuning>
bool fits_resident_scan(index_t n) {
  using kernel = resident_scan_kernel<scan_kind::inclusive, Op, Tuning>;
  index_t const blocks = resident_shape(n, kernel::row_items, Tuning::rows).blocks;
  return blocks <= simt::multiprocessor_count() && blocks <= Tuning::block_threads;
}

/// Launches `resident_scan_kernel` over n items. Requires `fits_resident_scan`.
template <scan_kind Kind, class Tuning, class In, class Out, class Op, class Total>
void resident_scan(workspace& ws, In in, Out out, item_count n, Op op, Total* d_total,
                   typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = resident_scan_kernel<Kind, Op, Tuning>;
  resident_shape const shape(n.at_most(), kernel::row_items, Tuning::rows);
  T* const totals = reinterpret_cast<T*>(ws.reserve(resident_scan_bytes<T, Tuning>));
  simt::launch<kernel>({.blocks = static_cast<unsigned>(shape.blocks),
                        .threads = kernel::block_threads,
                        .on = ws.stream(),
                        .cooperative = true},
                       in, out, n, shape.rows, op, init, totals, d_total);
}

/// The same if the current device holds n items at once; returns whether it did.
template <scan_kind Kind, class In, class Out, class Op, class Total>
bool resident_scan_if_fits(workspace& ws, In in, Out out, item_count n, Op op, Total* d_total,
                           typename Op::value_type init) {
  using T = typename Op::value_type;
  using item = memory_value_t<In, T>;
  using result = memory_value_t<Out, T>;
  using few = short_resident_tuning<item, T, result>;
  if (device::fits_resident_scan<Op, few>(n.at_most())) {
    device::resident_scan<Kind, few>(ws, in, out, n, op, d_total, init);
    return true;
  }
  using more = resident_tuning<item, T, result>;
  if (!device::fits_resident_scan<Op, more>(n.at_most())) return false;
  device::resident_scan<Kind, more>(ws, in, out, n, op, d_total, init);
  return true;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
