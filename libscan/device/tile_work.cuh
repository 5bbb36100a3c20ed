// SPDX-License-Identifier: Apache-2.0
// A Work: how the generic kernels read, summarize and write an operation's tiles. The kernels
// assign tiles to blocks and find the prefix of each tile.
#pragma once

#include <concepts>

#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// A tile is a run of consecutive items that one block holds in its registers. The kernel takes
// every tile through these steps, with all threads of the block. `settle` comes before the prefix
// is known in the resident kernel, and after that in the look-back kernel:
//
//   tile(work, at)                   makes the tile at that place
//   tile.summarize(work, shared)     reads the items; returns the summary of the tile
//   tile.settle(work, shared)        optional: what does not depend on the prefix
//   tile.write(work, shared, at, before, all)
//                                    writes the results; `before`, the tile's prefix, joins the
//                                    first tile's and the summaries of all tiles before this one.
//                                    `at` is the place once more: a tile that does not keep it has
//                                    more registers for items while it waits for its prefix.
//                                    In the resident kernel all() is the total; all threads may
//                                    call it. The look-back kernel passes `unknown_total`.
//
// All threads of the block pass a barrier between two steps, and before the block's next tile. A
// Work, which goes to the kernel as an argument, has the members
//
//   tile, shared_storage     the type of a tile, and what it needs of shared memory
//   row_items, max_rows      the items of a row of the block; the rows of a full tile. The tiles of
//                            the look-back kernel are full ones
//   summary, op_type         the summary that later tiles need, and the type of `op`
//   op                       joins two summaries; called only as op(earlier, later)
//   finish(all)              stores what depends on the total. One thread calls it, once, also if
//                            there are no items
// and, where they are needed,
//   init                     the prefix of the first tile; else it is the identity of op
//   can_overwrite_input = true, overwrites()
//                            results may go where the input is; whether those of this call do
//   programmatic_launch = true    a kernel always runs before this one (see libscan/simt/simt.cuh)
//   tasks(), do_task(number, n)
//                            there are tasks besides the tiles: task k comes with tile k, and the
//                            look-back kernel does those that no tile comes with
// A tile may have needs_prefix(): false, in thread 0 of the block, if its prefix does not matter.

/// Where a tile is: items [base, base + valid) of n, in `rows` rows of Work::row_items items. The
/// end of the input may cut off the last row.
struct tile_place {
  index_t n;
  index_t base;
  int valid;
  int rows;
};

/// Whether `Work` has the members that the look-back kernel and the resident kernel need.
template <class Work>
concept tile_work = requires(Work const work, typename Work::tile tile,
                             typename Work::shared_storage& shared,
                             typename Work::summary summary) {
  requires(Work::row_items > 0);
  requires(Work::max_rows > 0);
  { tile.summarize(work, shared) } -> std::convertible_to<typename Work::summary>;
  { work.op(summary, summary) } -> std::convertible_to<typename Work::op_type::value_type>;
  work.finish(summary);
};

/// Whether something comes before the first tile.
template <class Work>
concept has_init = requires(Work const work) {
  work.init;
};

/// The prefix of the first tile.
template <class Work>
__device__ __forceinline__ typename Work::summary first_prefix(Work const& work) {
  if constexpr (has_init<Work>) {
    return work.init;
  } else {
    return work.op.identity();
  }
}

/// Whether a tile has something to do that does not depend on its prefix.
template <class Work>
concept settles_tiles = requires(Work const work, typename Work::tile tile,
                                 typename Work::shared_storage& shared) {
  tile.settle(work, shared);
};

/// Whether a tile says if its prefix matters.
template <class Work>
concept may_skip_prefix = requires(typename Work::tile const tile) {
  tile.needs_prefix();
};

/// Whether there are tasks besides the tiles.
template <class Work>
concept has_extra_tasks = requires(Work const work) {
  work.tasks();
};

/// Whether a kernel always runs before that of the Work.
template <class Work>
concept uses_programmatic_launch = requires {
  requires Work::programmatic_launch;
};

/// In place of all(), where the total is not known.
struct unknown_total {};

/// Whether `Tuning` is that of a pipeline.
template <class Tuning>
concept tunes_pipeline = tuned_for<Tuning, scan_algorithm::pipeline>;

/// Whether all its tiles are assigned to the blocks in turn; otherwise blocks claim the later ones
/// in the order in which they need them.
template <class Tuning>
concept static_schedule = requires {
  requires Tuning::static_schedule;
};

/// Whether something depends on the total, as work.finish(all) stores it.
template <class Work>
concept finishes = requires(Work const work, typename Work::summary all) {
  work.finish(all);
};

/// Whether results may go where the input is: work.overwrites() says whether those of a call do.
template <class Work>
concept can_overwrite_input = requires {
  requires Work::can_overwrite_input;
};

/// Whether the results of a part wait for its carry: in the stage, and in registers.
template <class Work>
concept keeps_parts = requires {
  typename Work::tile_part;
};

/// Whether the results of this call overwrite its input.
template <class Work>
__device__ __forceinline__ bool overwrites(Work const& work) {
  if constexpr (can_overwrite_input<Work>) {
    return work.overwrites();
  } else {
    return false;
  }
}

/// If results overwrite the input: waits until `tile` of `tiles` may be written; its prefix must be
/// known. Then all tiles up to it are in their stages; the next one, too, if it reads the end of
/// this one. By one warp.
template <class Work, class Prefix>
__device__ __forceinline__ void await_readers(Work const& work, Prefix const& prefix, index_t tile,
                                              index_t tiles) {
  if constexpr (can_overwrite_input<Work>) {
    if (!work.overwrites()) return;
    if (Work::reads_tile_before && tile + 1 < tiles) prefix.await_total(tile + 1);
    // Counts order no memory; fences around them do, through the copies' mbarriers on both sides.
    simt::exchange_fence();
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
