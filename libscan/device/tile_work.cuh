// SPDX-License-Identifier: Apache-2.0
// What an operation says about its tiles, so that the look-back kernel and the resident kernel can
// run it: a Work. The kernels share the tiles out among blocks and find what comes before each
// tile; the Work reads a tile, summarizes it, and writes its results.
#pragma once

#include <concepts>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// A tile is a run of consecutive items that one block holds in its registers. The kernel takes
// every tile through these steps, in this order, with all threads of the block:
//
//   tile(base, valid, rows)          makes the tile of items [base, base + valid), which has `rows`
//                                    rows of Work::row_items items, the last of them perhaps cut
//                                    off by the end of the input
//   tile.summarize(work, shared)     reads the items; returns the summary of the tile
//   tile.settle(shared)              optional: what can be done before the prefix is known
//   tile.write(work, shared, before, all)
//                                    writes the results; `before`, the tile's prefix, is Work::init
//                                    joined with the summaries of all tiles before this one. In
//                                    the resident kernel all() is what all tiles come to; all
//                                    threads may call it. In the look-back kernel no block knows
//
// All threads of the block pass a barrier between two steps, and before the block's next tile. A
// Work, which goes to the kernel as an argument, has the members
//
//   tile, shared_storage     the type of a tile, and what it needs of shared memory
//   row_items, max_rows     the items of a row of the block; the rows of a full tile. The tiles of
//                            the look-back kernel are full ones
//   summary, op_type         what a tile tells the tiles after it, and what joins two summaries
//   op, init                 the operator; the summary of what comes before the first tile
//   finish(all)              stores what depends on all tiles. One thread calls it, once, also if
//                            there are no items
// and, if results may go where the input is,
//   can_overwrite_input      true
//   overwrites()             whether those of this call do

/// Whether `Work` has the members that the look-back kernel and the resident kernel ask for.
template <class Work>
concept tile_work = requires(Work const work, typename Work::tile tile,
                             typename Work::shared_storage& shared,
                             typename Work::summary summary) {
  requires Work::row_items >
  0 && Work::max_rows > 0;
  { tile.summarize(work, shared) } -> std::convertible_to<typename Work::summary>;
  { work.op(summary, summary) } -> std::convertible_to<typename Work::op_type::value_type>;
  { work.init } -> std::convertible_to<typename Work::summary>;
  work.finish(summary);
};

/// Whether a tile has something to do before its prefix is known.
template <class Work>
concept settles_tiles = requires(typename Work::tile tile, typename Work::shared_storage& shared) {
  tile.settle(shared);
};

/// In place of all(), where what all tiles come to is not known.
struct not_known {};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
