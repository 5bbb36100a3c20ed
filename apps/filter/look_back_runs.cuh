// SPDX-License-Identifier: Apache-2.0
// Run-length encoding of any items on any GPU: ballots count the runs that begin, look-back joins
// the tiles' summaries.
#pragma once

#include <apps/filter/look_back_filter.cuh>
#include <apps/filter/run_summary.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The encoder of tiles that look back: each block claims tiles.
template <class Item, class Equal, class Outputs, class Tuning>
struct run_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int warp_items = simt::warp_size * items_per_thread;
  static constexpr bool wants_values = wanted<decltype(Outputs::values)>;
  static_assert(tile_items <= 1 << 16);

  struct shared_storage {
    Item value[wants_values ? tile_items : 1];
    std::uint16_t offset[tile_items];
    block::scan_storage<int, block_threads> scan;
    run_summary carry;
    index_t claimed;
  };

  template <class In>
  __device__ void operator()(shared_storage& shared, In in, Outputs out, item_count length,
                             keep_heads<Equal> heads, tile_state<run_summary> state,
                             index_t* runs) const {
    index_t const n = length.get();
    index_t const tiles = ceil_div(n, index_t{tile_items});
    int const thread = static_cast<int>(threadIdx.x);
    if (tiles == 0 && runs != nullptr && blockIdx.x == 0 && thread == 0) *runs = 0;
    for (;;) {
      // 1 claim a tile
      if (thread == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      if (tile >= tiles) return;
      index_t const base = tile * tile_items;
      int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);

      // 2 find where runs begin, 3 compact these items and their offsets in shared memory
      int const begun = gather_heads(shared, in, heads, base, valid);

      // 4 publish how many runs begin and how long the last is, look back for what is before
      run_summary total{begun, valid};
      if (begun > 0) total.open -= shared.offset[begun - 1];
      run_summary const before =
          enter_tile(state, tile, total, join_runs::identity(), join_runs{}, shared.carry);

      // 5 store
      for (int i = thread; i < begun; i += block_threads) {
        index_t const earlier = i == 0 ? -before.open : index_t{shared.offset[i - 1]};
        if constexpr (wants_values) out.values[before.runs + i] = shared.value[i];
        out.begin_run(before.runs + i, base + shared.offset[i], shared.offset[i] - earlier);
      }
      if (tile == tiles - 1 && thread == 0) {
        run_summary const all = join_runs{}(before, total);
        out.end_run(all.runs - 1, all.open);
        if (runs != nullptr) *runs = all.runs;
      }
      simt::sync_block();
    }
  }

  /// Gathers what begins a run, and where in the tile; returns how many do. Ends with a barrier.
  template <class In>
  static __device__ int gather_heads(shared_storage& shared, In in, keep_heads<Equal> heads,
                                     index_t base, int valid) {
    int const thread = static_cast<int>(threadIdx.x);
    int const local = thread / simt::warp_size * warp_items + simt::lane_id();
    Item items[items_per_thread]{};
    filter_kernel<Item, keep_heads<Equal>, filter_outputs<>, Tuning>::load(in, base + local,
                                                                           valid - local, items);
    unsigned kept = 0;  // bit by row
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      int const at = local + row * simt::warp_size;
      if (at < valid && heads(in, base + at, items[row])) kept |= 1u << row;
    }
    auto const in_warp = simt::reduce_add(simt::full_warp, static_cast<unsigned>(simt::popc(kept)));
    auto const in_block = block::scan_of_warps(shared.scan, static_cast<int>(in_warp), plus<int>{});
    int place = in_block.prefix;
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      bool const keeps = (kept >> row & 1u) != 0;
      warp::binary_scan_result const scanned = warp::binary_scan(keeps);
      int const rank = place + scanned.rank;
      if (keeps) {
        if constexpr (wants_values) shared.value[rank] = items[row];
        shared.offset[rank] = static_cast<std::uint16_t>(local + row * simt::warp_size);
      }
      place += scanned.count;
    }
    simt::sync_block();
    return in_block.total;
  }
};

/// Launches `run_kernel` over n items. `memory`: of `tile_state<run_summary>::bytes`.
template <class Tuning, class In, class Outputs, class Equal>
void look_back_runs(workspace& ws, std::byte* memory, In in, Outputs out, item_count n,
                    keep_heads<Equal> heads, index_t* d_runs) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = run_kernel<item, Equal, Outputs, Tuning>;
  using state = tile_state<run_summary>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  simt::fill_async(memory, 0, state::reset_bytes(tiles), ws.stream());
  unsigned const blocks =
      blocks_for<kernel, In, Outputs, item_count, keep_heads<Equal>, state, index_t*>(
          tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()}, in,
                       out, n, heads, state(memory, tiles), d_runs);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
