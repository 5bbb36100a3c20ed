// SPDX-License-Identifier: Apache-2.0
// Stream compaction on the device: keep the items for which a predicate holds, in their order. A
// filter is a scan of flags: ballots scan a warp's, the block scan its warps', look-back the tiles'
// (Harris & Garland, "Optimizing Parallel Prefix Operations for the Fermi Architecture", 3.3.1).
#pragma once

#include <iterator>

#include <libscan/block/scan.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/device/look_back_scan.cuh>
#include <libscan/warp/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// What a filter writes for a kept item: the item.
struct the_item {
  template <class T>
  LIBSCAN_HOST_DEVICE T operator()(index_t, T item) const {
    return item;
  }
};

/// What a filter writes for a kept item: its position.
struct its_position {
  template <class T>
  LIBSCAN_HOST_DEVICE index_t operator()(index_t i, T) const {
    return i;
  }
};

/// The single-pass filter: each block claims tiles, and writes what `Written` makes of the items
/// kept.
template <class Item, class Written, class Tuning>
struct filter_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int warp_items = simt::warp_size * items_per_thread;
  using output = decltype(Written{}(index_t{}, Item{}));

  struct shared_storage {
    output kept[tile_items];
    block::scan_storage<int, block_threads> scan;
    position carry;
    index_t claimed;
  };

  template <class In, class Out, class Predicate>
  __device__ void operator()(shared_storage& shared, In in, Out out, item_count length,
                             Predicate keep, tile_state<position> state, index_t* count) const {
    index_t const n = length.get();
    index_t const tiles = ceil_div(n, index_t{tile_items});
    int const thread = static_cast<int>(threadIdx.x);
    if (tiles == 0 && count != nullptr && blockIdx.x == 0 && thread == 0) *count = 0;
    for (;;) {
      // 1 claim a tile
      if (thread == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      if (tile >= tiles) return;

      // 2 load: each warp has consecutive rows of 32 items, one item of a row per lane
      index_t const first =
          tile * tile_items + thread / simt::warp_size * warp_items + simt::lane_id();
      Item items[items_per_thread]{};
      if ((tile + 1) * tile_items <= n) {
#pragma unroll
        for (int row = 0; row < items_per_thread; ++row) {
          items[row] = in[first + row * simt::warp_size];
        }
      } else {
#pragma unroll
        for (int row = 0; row < items_per_thread; ++row) {
          index_t const i = first + row * simt::warp_size;
          if (i < n) items[row] = in[i];
        }
      }

      // 3 scan the flags: rows by ballot, warps by the block scan
      bool kept[items_per_thread];
      int rank[items_per_thread];
      int in_warp = 0;
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        kept[row] = first + row * simt::warp_size < n && keep(items[row]);
        warp::binary_scan_result const scanned = warp::binary_scan(kept[row]);
        rank[row] = in_warp + scanned.rank;
        in_warp += scanned.count;
      }
      auto const in_block = block::scan_of_warps(shared.scan, in_warp, plus<int>{});

      // 4 publish the count, look back for what is kept before the tile
      position const carry = enter_tile(state, tile, position{in_block.total}, position{0},
                                        plus_position{}, shared.carry);

      // 5 compact in shared memory, 6 store in order
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        if (!kept[row]) continue;
        shared.kept[in_block.prefix + rank[row]] =
            Written{}(first + row * simt::warp_size, items[row]);
      }
      simt::sync_block();
      for (int i = thread; i < in_block.total; i += block_threads) {
        out[carry.value + i] = shared.kept[i];
      }
      if (tile == tiles - 1 && count != nullptr && thread == 0) {
        *count = carry.value + in_block.total;
      }
      simt::sync_block();
    }
  }
};

/// Launches `filter_kernel` over n items.
template <class Written, class Tuning, class In, class Out, class Predicate>
void filter(workspace& ws, In in, Out out, item_count n, Predicate keep, index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = filter_kernel<item, Written, Tuning>;
  using state = tile_state<position>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const memory = ws.reserve(state::bytes(tiles));
  simt::fill_async(memory, 0, state::reset_bytes(tiles), ws.stream());
  unsigned const blocks = blocks_for<kernel, In, Out, item_count, Predicate, state, index_t*>(
      tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()}, in,
                       out, n, keep, state(memory, tiles), d_count);
}

}  // namespace device

/// Bytes of workspace a filter of up to `n` items of type T needs; `index_t` for `filter_indices`.
/// A pure function of its arguments; needs no device.
template <class T, class Tuning = filter_tuning<T>>
constexpr std::size_t filter_workspace_bytes(index_t n) {
  index_t const tile_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  return device::tile_state<device::position>::bytes(ceil_div(n, tile_items));
}

/// Writes the items of in[0 .. n-1] for which keep(item) holds to `out`, in their order, and their
/// number to *d_count.
///
/// Types: `in` and `out` are random-access iterators of the device; `keep` is a copyable functor
/// with a device call, applied once to each item. n: any size >= 0, also read from device memory
/// (`item_count::on_device`). n = 0 writes only the count. d_count: one value in device memory, or
/// null. `out` must have room for all that is kept. Aliasing: `out` must not overlap `in`.
/// Synchronisation: asynchronous on the workspace's stream; allocates only if the workspace must
/// grow. Traffic: reads n items, writes those kept. Progress: as `exclusive_scan`. Throws:
/// `invalid_argument` (workspace too small), `device_error`.
template <class Tuning = void, class In, class Out, class Predicate>
void filter(workspace& ws, In in, Out out, item_count n, Predicate keep, index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using tuning = std::conditional_t<std::is_void_v<Tuning>, filter_tuning<item>, Tuning>;
  device::filter<device::the_item, tuning>(ws, in, out, n, keep, d_count);
}

/// Writes the positions i with keep(in[i]) to `out`, ascending; otherwise as `filter`.
template <class Tuning = void, class In, class Out, class Predicate>
void filter_indices(workspace& ws, In in, Out out, item_count n, Predicate keep, index_t* d_count) {
  using tuning = std::conditional_t<std::is_void_v<Tuning>, filter_tuning<index_t>, Tuning>;
  device::filter<device::its_position, tuning>(ws, in, out, n, keep, d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
