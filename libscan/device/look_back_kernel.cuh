// SPDX-License-Identifier: Apache-2.0
// The kernel for any GPU, any iterators and any number of items: a single pass over tiles that
// blocks claim by an atomic ticket and that decoupled look-back chains (Merrill & Garland 2016). A
// tile only waits for tiles of blocks that run already, in whatever order blocks start.
#pragma once

#include <libscan/device/item_count.cuh>
#include <libscan/device/look_back.cuh>
#include <libscan/device/pipeline_work.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The next tile that no block has claimed, for all threads of the block. Passes a barrier before
/// it returns; between two calls there must be another.
template <class T>
__device__ __forceinline__ index_t claim_tile(tile_state<T> const& state, index_t& shared_claimed) {
  if (threadIdx.x == 0) shared_claimed = state.claim();
  simt::sync_block();
  return shared_claimed;
}

/// Runs a Work (libscan/device/tile_work.cuh): each block claims tiles, one after the other, until
/// none is left.
template <class Work, class Tuning>
struct look_back_kernel {
  static_assert(tile_work<Work>, "libscan: the Work lacks a member that tile_work.cuh lists");
  using summary = typename Work::summary;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int tile_items = Work::max_rows * Work::row_items;

  struct shared_storage {
    typename Work::shared_storage work;
    summary carry;
    index_t claimed;
  };

  __device__ void operator()(shared_storage& shared, Work work, item_count count,
                             tile_state<summary> state) const {
    index_t const n = count.get();
    index_t const tiles = ceil_div(n, index_t{tile_items});
    if (tiles == 0 && blockIdx.x == 0 && threadIdx.x == 0) work.finish(work.init);
    for (;;) {
      index_t const number = device::claim_tile(state, shared.claimed);
      if (number >= tiles) return;
      index_t const base = number * tile_items;
      typename Work::tile tile(base, device::valid_items<tile_items>(n, base), Work::max_rows);
      summary const own = tile.summarize(work, shared.work);
      summary const before = device::enter_tile(state, number, own, work.init, work.op,
                                                shared.carry, device::overwrites(work));
      if constexpr (settles_tiles<Work>) {
        tile.settle(shared.work);
        simt::sync_block();
      }
      tile.write(work, shared.work, before, not_known{});
      if (number == tiles - 1 && threadIdx.x == 0) work.finish(work.op(before, own));
    }
  }
};

/// Runs `work` with the look-back kernel over n items. `memory`: of `look_back_bytes`, in the
/// workspace.
template <class Tuning, class Work>
void run_look_back(std::byte* memory, simt::stream on, Work work, item_count n) {
  using kernel = look_back_kernel<Work, Tuning>;
  using state = tile_state<typename Work::summary>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  simt::fill_async(memory, 0, state::reset_bytes(tiles), on);
  unsigned const blocks =
      device::blocks_for<kernel, Work, item_count, state>(tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, work, n,
                       state(memory, tiles));
}

/// Bytes of workspace that the look-back kernel needs for n items in tiles of so many.
template <class Summary>
constexpr std::size_t look_back_bytes(index_t n, index_t tile_items) {
  return tile_state<Summary>::bytes(ceil_div(n, tile_items));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
