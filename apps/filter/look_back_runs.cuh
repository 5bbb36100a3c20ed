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
    if (n == 0 && runs != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *runs = 0;
    // 1 claim a tile
    for_claimed_tiles<tile_items>(state, n, shared.claimed, [&](claimed_tile const& tile) {
      // 2 find where runs begin, 3 compact these items and their offsets in shared memory
      int const begun = gather_heads(shared, in, heads, tile.base, tile.valid);

      // 4 publish how many runs begin and how long the last is, look back for what is before
      run_summary total{begun, tile.valid};
      if (begun > 0) total.open -= shared.offset[begun - 1];
      run_summary const before =
          enter_tile(state, tile.index, total, join_runs::identity(), join_runs{}, shared.carry);

      // 5 store
      int const thread = static_cast<int>(threadIdx.x);
      for (int i = thread; i < begun; i += block_threads) {
        index_t const earlier = i == 0 ? -before.open : index_t{shared.offset[i - 1]};
        if constexpr (wants_values) out.values[before.runs + i] = shared.value[i];
        out.begin_run(before.runs + i, tile.base + shared.offset[i], shared.offset[i] - earlier);
      }
      if (tile.last && thread == 0) {
        run_summary const all = join_runs{}(before, total);
        out.end_run(all.runs - 1, all.open);
        if (runs != nullptr) *runs = all.runs;
      }
    });
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
  launch_claiming<kernel, run_summary>(ws, memory, in, out, n, heads, d_runs);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
