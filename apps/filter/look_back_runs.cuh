// SPDX-License-Identifier: Apache-2.0
// Run-length encoding of any items on any GPU: ballots count the runs that begin, look-back joins
// the tiles' summaries.
#pragma once

#include <apps/filter/look_back_filter.cuh>
#include <apps/filter/run_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The encoder of tiles that look back: each block claims tiles.
template <class Item, class Equal, class Outputs, class Tuning>
struct run_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  using tile_type = run_tile<Item, Equal, Outputs, Tuning>;
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
    device::for_claimed_tiles<tile_items>(
        state, n, shared.claimed, [&](claimed_tile const& claimed) {
          // 2 find where runs begin, 3 compact these items and their offsets in shared memory
          tile_type tile(claimed.base, claimed.valid);
          run_summary const total = tile.summarise(shared.tile, in, heads);

          // 4 publish how many runs begin and how long the last is, look back for the carry
          run_summary const before = device::enter_tile(
              state, claimed.index, total, join_runs::identity(), join_runs{}, shared.carry);

          // 5 store
          tile.store(shared.tile, out, before);
          if (claimed.last && threadIdx.x == 0) {
            run_summary const all = join_runs{}(before, total);
            out.end_run(all.runs - 1, all.open);
            if (runs != nullptr) *runs = all.runs;
          }
        });
  }
};

/// Launches `run_kernel` over n items. `memory`: `tile_state<run_summary>::bytes`.
template <class Tuning, class In, class Outputs, class Equal>
void look_back_runs(workspace& ws, std::byte* memory, In in, Outputs out, item_count n,
                    keep_heads<Equal> heads, index_t* d_runs) {
  using item = typename std::iterator_traits<In>::value_type;
  using kernel = run_kernel<item, Equal, Outputs, Tuning>;
  device::launch_claiming<kernel, run_summary>(ws, memory, in, out, n, heads, d_runs);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
