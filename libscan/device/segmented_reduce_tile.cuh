// SPDX-License-Identifier: Apache-2.0
// The totals of segments, of tiles in a block's registers: a segmented scan that stores one result
// per segment.
#pragma once

#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/segment_chain.cuh>
#include <libscan/device/segment_outputs.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What a reduction of segments reads and writes. `segments` may be null.
template <class In, class Totals, class Heads, class Keys, class Op,
          class Init = typename Op::value_type>
struct segment_arguments {
  using T = typename Op::value_type;
  using summary = segment_summary<T>;
  using op_type = join_segments<Op>;

  In in;
  Totals totals;
  Heads heads;
  Keys keys;
  op_type op;
  Init segment_init;
  index_t* segments;

  /// The last segment ends with the last item.
  __device__ void finish(summary const& all) const {
    if (all.segments > 0) totals[all.segments - 1] = all.open;
    if (segments != nullptr) *segments = all.segments;
  }
};

/// A tile of a reduction of segments, and what its head flags are numbered with.
template <class In, class Op, class Tuning>
struct ended_tile {
  using T = typename Op::value_type;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  using part_type =
      segmented_tile<T, Tuning::block_threads, Tuning::items_per_thread / width, width>;
  static constexpr int tile_items = part_type::tile_items;

  struct shared_storage {
    typename part_type::shared_storage tile;
    typename part_type::head_counts heads;
  };

  index_t base;
  int valid;
  part_type part;
  typename part_type::head_ranks ranks;
  typename part_type::warp_carries carries;
  typename part_type::heads_begun begun;

  __device__ ended_tile(index_t first, int items) : base(first), valid(items) {}

  /// Scans each warp's part and ranks its head flags.
  template <class Work>
  __device__ __forceinline__ segment_summary<T> summarize(Work const& work,
                                                          shared_storage& shared) {
    Op const op = work.op.op;
    part.load(work.in, work.heads, base, valid, T(op.identity()));
    auto const end = part.template scan_rows<row_prefix::ended>(work.segment_init, op);
    ranks = part.rank_heads(shared.heads);
    carries = part.join_warps(shared.tile, end, op);
    begun = part_type::count_heads(shared.heads);
    return {begun.tile, carries.tile.value};
  }
};

/// The Work of a reduction of segments with look-back: a head stores the total of the segment that
/// it ends.
template <class In, class Totals, class Heads, class Keys, class Op, class Tuning,
          class Init = typename Op::value_type>
struct segment_totals : segment_arguments<In, Totals, Heads, Keys, Op, Init> {
  using held = ended_tile<In, Op, Tuning>;
  using T = typename Op::value_type;
  using summary = segment_summary<T>;
  using shared_storage = typename held::shared_storage;
  static constexpr int row_items = held::tile_items;
  static constexpr int max_rows = 1;
  static constexpr bool programmatic_launch = true;

  struct tile : held {
    __device__ tile(segment_totals const& /*work*/, tile_place const& at)
        : held(at.base, at.valid) {}

    __device__ bool needs_prefix() const { return held::part.begins_open(); }

    template <class All>
    __device__ __forceinline__ void write(segment_totals const& work, shared_storage& shared,
                                          tile_place const& /*at*/, summary const& before,
                                          All const& /*all*/) {
      held::part.apply(held::carries.warp_carry(before.open, work.op.op), work.op.op);
      // Counted again, rather than kept in registers that are scarce.
      index_t const begun =
          before.segments + held::part_type::count_heads(shared.heads).before_warp;
      held::part.each_head(held::ranks, begun, [&](index_t segment, int i, T const& total) {
        work.keys.store(segment, work.keys.key(held::base + i));
        if (segment > 0) work.totals[segment - 1] = total;
      });
    }
  };
};

/// The same for the resident kernel: while the blocks meet, a block gathers what ends in its tile,
/// and the keys of what begins there, in shared memory, from where they go in whole lines.
template <class In, class Totals, class Heads, class Keys, class Op, class Tuning,
          class Init = typename Op::value_type>
struct gathered_segment_totals : segment_arguments<In, Totals, Heads, Keys, Op, Init> {
  using held = ended_tile<In, Op, Tuning>;
  using T = typename Op::value_type;
  using summary = segment_summary<T>;
  static constexpr int row_items = held::tile_items;
  static constexpr int max_rows = 1;
  static constexpr bool has_keys = !std::is_same_v<Keys, no_keys>;

  /// Where item i is in shared memory, so that lanes that store a power of 2 of items in a row each
  /// are at different banks.
  static LIBSCAN_HOST_DEVICE constexpr int padded_index(int i) { return i + i / simt::warp_size; }

  struct shared_storage : held::shared_storage {
    T total[padded_index(held::tile_items)];
    typename Keys::key_type key[has_keys ? padded_index(held::tile_items) : 1];
  };

  struct tile : held {
    __device__ tile(gathered_segment_totals const& /*work*/, tile_place const& at)
        : held(at.base, at.valid) {}

    __device__ __forceinline__ void settle(gathered_segment_totals const& work,
                                           shared_storage& shared) {
      // The tile's first total still lacks what enters the tile.
      held::part.apply(held::carries.before_warp.value, work.op.op);
      held::part.each_head(held::ranks, held::begun.before_warp,
                           [&](index_t rank, int i, T const& total) {
                             int const at = padded_index(static_cast<int>(rank));
                             if constexpr (has_keys) shared.key[at] = work.keys.key(held::base + i);
                             shared.total[at] = total;
                           });
    }

    template <class All>
    __device__ __forceinline__ void write(gathered_segment_totals const& work,
                                          shared_storage& shared, tile_place const& /*at*/,
                                          summary const& before, All const& /*all*/) {
      for (int rank = static_cast<int>(threadIdx.x); rank < held::begun.tile;
           rank += Tuning::block_threads) {
        index_t const segment = before.segments + rank;
        if constexpr (has_keys) work.keys.store(segment, shared.key[padded_index(rank)]);
        if (segment == 0) continue;
        T const total = shared.total[padded_index(rank)];
        work.totals[segment - 1] = rank == 0 ? T(work.op.op(before.open, total)) : total;
      }
    }
  };
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
