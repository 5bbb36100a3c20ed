// SPDX-License-Identifier: Apache-2.0
// The kernel for any GPU, any iterators and any number of items: a single pass over tiles that
// blocks claim by an atomic ticket and that decoupled look-back chains (Merrill & Garland 2016). A
// tile only waits for tiles of blocks that run already, in whatever order blocks start.
#pragma once

#include <libscan/device/item_count.cuh>
#include <libscan/device/tile_chain.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The next tile that no block has claimed, for all threads of the block. Passes a barrier before
/// it returns; between two calls there must be another.
template <class Chain>
__device__ __forceinline__ index_t claim_tile(Chain const& chain, index_t& shared_claimed) {
  if (threadIdx.x == 0) shared_claimed = chain.claim();
  simt::sync_block();
  return shared_claimed;
}

/// Whether this compilation for a GPU can leave out a kernel with that tuning.
template <class Tuning>
inline constexpr bool is_never_launched = false;
template <class T>
inline constexpr bool is_never_launched<fallback_tuning<T>> = simt::always_pipelines;

/// Runs a Work (libscan/device/tile_work.cuh): each block claims tiles, one after the other, until
/// none is left.
template <class Work, class Tuning>
struct look_back_kernel {
  static_assert(tile_work<Work>, "libscan: the Work lacks a member that tile_work.cuh lists");
  using summary = typename Work::summary;
  using chain_type = tile_chain<summary>;
  static constexpr bool programmatic_launch = uses_programmatic_launch<Work>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int tile_items = Work::max_rows * Work::row_items;

  struct shared_storage {
    typename Work::shared_storage work;
    typename chain_type::shared_storage carry;
    index_t claimed;
    // The number of the block's tile. Unlike `claimed`, it stays until all threads have written.
    index_t number;
  };

  __device__ void operator()(shared_storage& shared, Work work, item_count count,
                             chain_type chain) const {
    if constexpr (is_never_launched<Tuning>) {
      simt::trap();
    } else {
      work_on_tiles(shared, work, count, chain);
    }
  }

 private:
  static __device__ __forceinline__ void work_on_tiles(shared_storage& shared, Work const& work,
                                                       item_count count, chain_type const& chain) {
    index_t const n = count.get();
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) work.finish(device::first_prefix(work));
    for (;;) {
      index_t const number = device::claim_tile(chain, shared.claimed);
      if (number * tile_items >= n) {
        if constexpr (has_extra_tasks<Work>) {
          if (number < work.tasks()) {
            work.do_task(number, n);
            simt::sync_block();  // all have read what was claimed
            continue;
          }
        }
        return;
      }
      if (threadIdx.x == 0) shared.number = number;
      typename Work::tile tile(work, place_of(number, n));
      summary const own = tile.summarize(work, shared.work);
      bool needed = true;
      if constexpr (may_skip_prefix<Work>) needed = tile.needs_prefix();
      summary const before = chain.enter(shared.carry, number, own, device::first_prefix(work),
                                         work.op, device::overwrites(work), needed);
      if constexpr (settles_tiles<Work>) {
        tile.settle(work, shared.work);
        simt::sync_block();
      }
      // The number is read again, and takes no registers while the block waits for the prefix.
      tile.write(work, shared.work, place_of(shared.number, n), before, unknown_total{});
      if (threadIdx.x == 0 && (number + 1) * tile_items >= n) work.finish(work.op(before, own));
    }
  }

  static __device__ __forceinline__ tile_place place_of(index_t number, index_t n) {
    index_t const base = number * tile_items;
    int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);
    return {n, base, valid, Work::max_rows};
  }
};

/// How many tiles `Work` makes of n items in the look-back kernel.
template <class Work>
constexpr index_t look_back_tiles(index_t n) {
  return ceil_div(n, index_t{Work::max_rows} * Work::row_items);
}

/// Launches the look-back kernel with `work` over n items. `memory`: of `tile_chain::bytes`,
/// whose first `reset_bytes` are zero.
template <class Tuning, class Work>
void launch_look_back(std::byte* memory, simt::stream on, Work work, item_count n) {
  using kernel = look_back_kernel<Work, Tuning>;
  using chain = typename kernel::chain_type;
  index_t const tiles = device::look_back_tiles<Work>(n.at_most());
  index_t claims = tiles;
  if constexpr (has_extra_tasks<Work>) claims = tiles < work.tasks() ? work.tasks() : tiles;
  unsigned const blocks =
      device::blocks_for<kernel, Work, item_count, chain>(claims, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, work, n,
                       chain(memory, tiles));
}

/// Runs `work` with the look-back kernel over n items. `memory`: of `tile_chain::bytes`, in the
/// workspace.
template <class Tuning, class Work>
void run_look_back(std::byte* memory, simt::stream on, Work work, item_count n) {
  using chain = tile_chain<typename Work::summary>;
  index_t const tiles = device::look_back_tiles<Work>(n.at_most());
  simt::fill_async(memory, 0, chain::reset_bytes(tiles), on);
  device::launch_look_back<Tuning>(memory, on, work, n);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
