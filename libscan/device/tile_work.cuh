// SPDX-License-Identifier: Apache-2.0
// What an operation says about its tiles, so that the generic kernels can run it: a Work. The
// kernels share the tiles out among blocks and find what comes before each tile; the Work reads a
// tile, summarizes it, and writes its results.
#pragma once

#include <concepts>

#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// A tile is a run of consecutive items that one block holds in its registers. The kernel takes
// every tile through these steps, in this order, with all threads of the block:
//
//   tile(work, at)                   makes the tile at that place
//   tile.summarize(work, shared)     reads the items; returns the summary of the tile
//   tile.settle(work, shared)        optional: what can be done before the prefix is known
//   tile.write(work, shared, at, before, all)
//                                    writes the results; `before`, the tile's prefix, joins the
//                                    first tile's and the summaries of all tiles before this one.
//                                    `at` is the place once more: a tile that does not keep it has
//                                    more registers for items while it waits for its prefix.
//                                    In the resident kernel all() is what all tiles come to; all
//                                    threads may call it. In the look-back kernel no block knows
//
// All threads of the block pass a barrier between two steps, and before the block's next tile. A
// Work, which goes to the kernel as an argument, has the members
//
//   tile, shared_storage     the type of a tile, and what it needs of shared memory
//   row_items, max_rows     the items of a row of the block; the rows of a full tile. The tiles of
//                            the look-back kernel are full ones
//   summary, op_type         what a tile tells the tiles after it, and what joins two summaries
//   op                       the operator; called only as op(earlier, later)
//   finish(all)              stores what depends on all tiles. One thread calls it, once, also if
//                            there are no items
// and, where they are needed,
//   init                     the prefix of the first tile; else it is the identity of op
//   can_overwrite_input = true, overwrites()
//                            results may go where the input is; whether those of this call do
//   programmatic_launch = true    a kernel always runs before this one (see libscan/simt/simt.cuh)
//   shares(), do_share(number, n)
//                            there is more to do than tiles: share k comes with tile k, and the
//                            look-back kernel does those that no tile comes with
// A tile whose prefix does not always matter tells by tile.needs_prefix(): in thread 0 of the
// block.

/// Where a tile is: items [base, base + valid) of n, in `rows` rows of Work::row_items items. The
/// end of the input may cut off the last row.
struct tile_place {
  index_t n;
  index_t base;
  int valid;
  int rows;
};

/// Whether `Work` has the members that the look-back kernel and the resident kernel ask for.
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

/// Whether a tile has something to do before its prefix is known.
template <class Work>
concept settles_tiles = requires(Work const work, typename Work::tile tile,
                                 typename Work::shared_storage& shared) {
  tile.settle(work, shared);
};

/// Whether a tile tells that its prefix does not matter.
template <class Work>
concept tells_need = requires(typename Work::tile const tile) {
  tile.needs_prefix();
};

/// Whether there is more to do than tiles.
template <class Work>
concept has_shares = requires(Work const work) {
  work.shares();
};

/// Whether a kernel always runs before that of the Work.
template <class Work>
concept follows = requires {
  requires Work::programmatic_launch;
};

/// In place of all(), where what all tiles come to is not known.
struct not_known {};

/// Whether `Tuning` is that of a pipeline.
template <class Tuning>
concept tunes_pipeline = tuned_for<Tuning, scan_algorithm::pipeline>;

/// Whether all its tiles are assigned to the blocks in turn; otherwise blocks claim the later ones
/// in the order in which they need them.
template <class Tuning>
concept static_schedule = requires {
  requires Tuning::static_schedule;
};

/// Whether something depends on what all tiles come to, as work.finish(all) stores it.
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
concept holds_parts = requires {
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
