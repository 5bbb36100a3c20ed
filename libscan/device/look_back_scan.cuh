// SPDX-License-Identifier: Apache-2.0
// Device-wide scan in a single pass, for any GPU and any iterators: every item is read once and
// every result written once. Tiles are claimed by an atomic ticket and chained by decoupled
// look-back (Merrill & Garland 2016).
#pragma once

#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/look_back.cuh>
#include <libscan/warp/reverse_iterator.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The look-back scan: each block claims tiles, one after the other, until none is left.
template <scan_kind Kind, class Op, class Tuning>
struct look_back_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;

  struct shared_storage {
    block::tile_storage<T, block_threads, items_per_thread> tile;
    block::scan_storage<T, block_threads> scan;
    T carry;
    index_t claimed;
  };

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In items_in, Out items_out, item_count count,
                             Op op, T init, tile_state<T> state, total_value_t<T>* total) const {
    index_t const n = count.get();
    auto const in = libscan::at_length(items_in, n);
    auto const out = libscan::at_length(items_out, n);
    index_t const tiles = ceil_div(n, index_t{tile_items});
    if (tiles == 0 && total != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *total = init;
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      if (tile >= tiles) return;

      // 2 load it; items past the end are the identity, which changes nothing
      index_t const base = tile * tile_items;
      int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);
      T items[items_per_thread];
      block::load_tile(shared.tile, in, base, valid, T(op.identity()), items);

      // 3 scan: within the thread, then across the block
      T sum = items[0];
#pragma unroll
      for (int k = 1; k < items_per_thread; ++k) sum = op(sum, items[k]);
      auto const before = block::exclusive_scan(shared.scan, sum, op);

      // 4 publish the total, look back for the carry
      T const carry = device::enter_tile(state, tile, before.total, init, op, shared.carry);

      // 5 apply the carry
      T prefix = op(carry, before.prefix);
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) {
        T const next = op(prefix, items[k]);
        items[k] = Kind == scan_kind::inclusive ? next : prefix;
        prefix = next;
      }

      // 6 store
      block::store_tile(shared.tile, out, base, valid, items);
      if (tile == tiles - 1 && total != nullptr && threadIdx.x == 0) {
        *total = op(carry, before.total);
      }
    }
  }
};

/// Resets the tile state and launches `look_back_scan_kernel` over n items.
template <scan_kind Kind, class Tuning, class In, class Out, class Op>
void look_back_scan(workspace& ws, In in, Out out, item_count n, Op op,
                    total_value_t<typename Op::value_type>* d_total, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = look_back_scan_kernel<Kind, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const memory = ws.reserve(tile_state<T>::bytes(tiles));
  simt::fill_async(memory, 0, tile_state<T>::reset_bytes(tiles), ws.stream());
  unsigned const blocks =
      device::blocks_for<kernel, In, Out, item_count, Op, T, tile_state<T>, total_value_t<T>*>(
          tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()}, in,
                       out, n, op, init, tile_state<T>(memory, tiles), d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
