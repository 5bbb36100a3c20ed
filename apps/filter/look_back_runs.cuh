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
  static constexpr bool wants_values = wanted<decltype(Outputs::values)>;
  // What begins a run is filtered, and where in the tile it does.
  using heads_type = filter_outputs<decltype(Outputs::values), index_t*>;
  using tile_type = filter_tile<Item, keep_heads<Equal>, heads_type, Tuning>;
  static constexpr int tile_items = tile_type::tile_items;

  struct shared_storage {
    typename tile_type::shared_storage tile;
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
    for_claimed_tiles<tile_items>(state, n, shared.claimed, [&](claimed_tile const& claimed) {
      // 2 find where runs begin, 3 compact these items and their offsets in shared memory
      tile_type tile(claimed.base, claimed.valid);
      int const begun = tile.ask(shared.tile, in, heads);
      tile.compact(shared.tile);
      simt::sync_block();

      // 4 publish how many runs begin and how long the last is, look back for what is before
      auto const& offset = shared.tile.offset;
      run_summary total{begun, claimed.valid};
      if (begun > 0) total.open -= offset[begun - 1];
      run_summary const before =
          enter_tile(state, claimed.index, total, join_runs::identity(), join_runs{}, shared.carry);

      // 5 store
      int const thread = static_cast<int>(threadIdx.x);
      for (int i = thread; i < begun; i += block_threads) {
        index_t const earlier = i == 0 ? -before.open : index_t{offset[i - 1]};
        if constexpr (wants_values) out.values[before.runs + i] = shared.tile.item[i];
        out.begin_run(before.runs + i, claimed.base + offset[i], offset[i] - earlier);
      }
      if (claimed.last && thread == 0) {
        run_summary const all = join_runs{}(before, total);
        out.end_run(all.runs - 1, all.open);
        if (runs != nullptr) *runs = all.runs;
      }
    });
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
