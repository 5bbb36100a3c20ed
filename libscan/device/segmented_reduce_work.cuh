// SPDX-License-Identifier: Apache-2.0
// The Works of totals of segments. In a block's registers: a segmented scan that stores one result
// per segment. On the pipeline: each lane goes through consecutive items of its own, so that a
// whole batch of them takes one scan of the warp's lanes; totals are compacted in shared memory, in
// place of items of their type, and written side by side. For few items between offsets, each tile
// searches for the segments that end in it.
#pragma once

#include <iterator>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/segment_chain.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/staged_segments.cuh>
#include <libscan/device/tile_work.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The key of a segment that begins at item i is discarded.
struct no_keys {
  struct key_type {};
  __device__ key_type key(index_t /*i*/) const { return {}; }
  __device__ void store(index_t /*segment*/, key_type /*key*/) const {}
};
/// The key is stored.
template <class Keys, class Out>
struct unique_keys {
  using key_type = typename std::iterator_traits<Keys>::value_type;
  Keys keys;
  Out out;
  __device__ key_type key(index_t i) const { return keys[i]; }
  __device__ void store(index_t segment, key_type const& key) const { out[segment] = key; }
};

/// Totals of the segments that are not empty: that of the segment with index k goes to totals[k],
/// or to nonempty[k] if a segment is empty, in which case *numbered is not 0. An output iterator.
template <class Totals, class T>
struct nonempty_totals {
  Totals totals;
  T* nonempty;
  index_t const* numbered;

  struct reference {
    nonempty_totals const& all;
    index_t k;
    __device__ void operator=(T const& total) const {
      if (*all.numbered == 0) {
        all.totals[k] = total;
      } else {
        all.nonempty[k] = total;
      }
    }
  };
  __device__ reference operator[](index_t k) const { return {*this, k}; }
};

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
      index_t const earlier =
          before.segments + held::part_type::count_heads(shared.heads).before_warp;
      held::part.each_head(held::ranks, earlier, [&](index_t segment, int i, T const& total) {
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

/// The work of a pipeline that stores one total per segment. A head ends the segment before it; the
/// end of the input ends the last segment.
template <class Item, class Totals, class Heads, class Keys, class Op, class Tuning,
          class Init = typename Op::value_type>
struct segmented_reduce_work : staged_segments<Item, typename Op::value_type, Heads, Tuning> {
  using T = typename Op::value_type;
  using staged = staged_segments<Item, T, Heads, Tuning>;
  using staged::batches;
  using staged::part_items;
  using typename staged::batch;
  using typename staged::stage_type;
  using summary = segment_summary<T>;
  using op_type = join_segments<Op>;
  static constexpr bool stores_keys = !std::is_same_v<Keys, no_keys>;

  Totals totals;
  Keys keys;
  op_type op;
  Init segment_init;
  index_t* segments;

  __device__ void finish(summary const& all) const {
    if (all.segments > 0) totals[all.segments - 1] = all.open;
    if (segments != nullptr) *segments = all.segments;
  }

  /// What is left of a part in registers: its number of segment starts. The rest waits in the
  /// stage: total k there was ended by head k, the first one without the carry of the part; and the
  /// key of head k.
  class tile_part {
   public:
    __device__ summary summarize(segmented_reduce_work const& work, stage_type& stage, index_t base,
                                 int valid, int begin) {
      Item const* const items = stage.items.items(work.in + base);
      auto const reader = stage.heads.reader(work.heads, base, valid);
      Op const by = work.op.op;
      T* const ended = work.values(stage, base) + begin;
      heads_ = 0;
      T open = by.identity();
      T const init = work.segment_init;
#pragma unroll
      for (int b = 0; b < batches; ++b) {
        int const first = begin + b * batch::items;
        int const at = first + simt::lane_id() * batch::lane_items;
        unsigned own = batch::load_heads(reader, valid, first, at);
        if (base + at == 0) own |= 1u;
        T item[batch::lane_items];
        batch::load(item, items, valid, first, at, T(by.identity()));
        T last = simt::lane_id() == 0 ? open : by.identity();
        unsigned const lanes = simt::ballot(simt::full_warp, own != 0);
        if (lanes == 0) {
          last = by(last, sum(item, by));
          open = warp::combine(last, by);
          continue;
        }
        int const count = simt::popc(own);
        auto const counts = warp::inclusive_scan(count, plus<int>{});
        int const rank = heads_ + counts.prefix - count;
        simt::sync_warp();  // all lanes have read what any may now overwrite
        end_segments(item, own, ended + rank, last, init, by);
        last = detail::scan_lanes(last, lanes, by);
        T const before = simt::shfl_up(simt::full_warp, last, 1);
        if (own != 0 && simt::lane_id() != 0) ended[rank] = by(before, ended[rank]);
        open = simt::shfl(simt::full_warp, last, simt::warp_size - 1);
        if constexpr (stores_keys) {
          auto* const part_keys = stage.heads.items(work.heads, base) + begin;
          if (simt::all(simt::full_warp, count <= few_keys)) {
            compact_few_keys(part_keys, at - begin, own, rank);
          } else {
            compact_keys(part_keys, first - begin, own, heads_);
          }
          simt::sync_warp();  // the next batch reads this one's last key first
        }
        heads_ += counts.total;
      }
      return {heads_, open};
    }

    template <class Done>
    __device__ void write(segmented_reduce_work const& work, stage_type& stage, index_t base,
                          int /*valid*/, int begin, summary before, Done done) {
      T const* const ended = work.values(stage, base) + begin;
      for (int i = simt::lane_id(); i < heads_; i += simt::warp_size) {
        index_t const segment = before.segments + i;
        T const total = i == 0 ? work.op.op(before.open, ended[0]) : ended[i];
        if (segment > 0) work.totals[segment - 1] = total;
        if constexpr (stores_keys) {
          work.keys.out[segment] = stage.heads.items(work.heads, base)[begin + i];
        }
      }
      simt::fence_proxy_async();  // the next copy into the stage comes after what was read here
      done();
    }

   private:
    int heads_;  // of the part
  };

 private:
  static __device__ T sum(T const (&item)[batch::lane_items], Op op) {
    T sum = item[0];
#pragma unroll
    for (int i = 1; i < batch::lane_items; ++i) sum = op(sum, item[i]);
    return sum;
  }

  /// Stores at ended[k] what the caller's head k ends; `last`: the carry of the first item, then
  /// what is left open after the last.
  static __device__ void end_segments(T const (&item)[batch::lane_items], unsigned own, T* ended,
                                      T& last, T init, Op op) {
#pragma unroll
    for (int i = 0; i < batch::lane_items; ++i) {
      unsigned const head = own >> i & 1u;
      if (head != 0) *ended = last;
      ended += head;
      last = op(head != 0 ? init : last, item[i]);
    }
  }

  // Keys of segment starts move to the first places of their part. The part's last key, which
  // another warp compares with the first of the next part, can only move to its own place, and does
  // not change.

  static constexpr int few_keys = 8;  // of a lane's, unless segments have a few items each

  /// The caller's few head flags, from keys[at ...] to keys[rank ...].
  template <class Key>
  static __device__ void compact_few_keys(Key* keys, int at, unsigned own, int rank) {
    Key key[few_keys] = {};
    int const past = rank + simt::popc(own);
#pragma unroll
    for (int k = 0; k < few_keys; ++k) {
      if (own != 0) key[k] = keys[at + simt::ffs(own) - 1];
      own &= own - 1;
    }
    simt::sync_warp();
    int const end = past < part_items ? past : part_items - 1;
#pragma unroll
    for (int k = 0; k < few_keys; ++k) {
      if (rank + k < end) keys[rank + k] = key[k];
    }
  }

  /// Those of a batch, from keys[first ...] to keys[rank ...], a row of 32 after the other: nothing
  /// moves up, so no row is overwritten before it is read.
  template <class Key>
  static __device__ void compact_keys(Key* keys, int first, unsigned own, int rank) {
    for (int row = 0; row < batch::lane_items; ++row) {
      int const i = row * simt::warp_size + simt::lane_id();
      unsigned const owner = simt::shfl(simt::full_warp, own, i / batch::lane_items);
      bool const head = (owner >> i % batch::lane_items & 1u) != 0;
      unsigned const heads = simt::ballot(simt::full_warp, head);
      int const to = rank + simt::popc(heads & simt::lanemask_lt());
      Key key{};
      if (head) key = keys[first + i];
      simt::sync_warp();
      if (head && to != first + i) keys[to] = key;
      rank += simt::popc(heads);
    }
  }
};

/// The Work of totals of few items between offsets (chained as by Merrill & Garland, 2016): each
/// tile searches for the segments that end in it and stores their totals. Each tile also has a
/// share of all segments: it stores the totals of the empty ones, at any place.
template <class In, class Totals, class Offset, class Op, class Tuning,
          class Init = typename Op::value_type>
struct searched_segment_totals {
  using T = typename Op::value_type;
  using summary = segment_carry<T>;
  using op_type = join_carries<Op>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using part_type = segmented_tile<T, block_threads, rows, width>;
  using heads_type = offsets_searched_per_tile<Offset>;
  using marks = tile_heads<heads_type, block_threads, part_type::tile_items>;
  static constexpr int row_items = part_type::tile_items;
  static constexpr int max_rows = 1;
  static constexpr bool programmatic_launch = true;

  struct shared_storage {
    typename part_type::shared_storage tile;
    typename marks::shared_storage heads;
    T result[part_type::tile_items];
  };

 private:
  static constexpr int thread_segments = 2;  // of a share
  static constexpr int share_segments = thread_segments * block_threads;

  /// Whether a segment has items.
  static __device__ bool begins(index_t from, index_t to, index_t n) {
    return from >= 0 && from < to && from < n;
  }

  /// A thread's part of a share.
  struct share {
    index_t first;
    index_t segments;
    Offset from[thread_segments] = {};
    Offset to[thread_segments] = {};

    __device__ share(heads_type const& heads, index_t number)
        : first(number * share_segments + static_cast<index_t>(threadIdx.x)),
          segments(heads.segments) {
#pragma unroll
      for (int k = 0; k < thread_segments; ++k) {
        index_t const segment = first + k * block_threads;
        if (segment < segments) from[k] = heads.offsets[segment];
        if (segment < segments) to[k] = heads.offsets[segment + 1];
      }
    }

    __device__ void store_empty(Totals to_all, index_t n, T init) const {
#pragma unroll
      for (int k = 0; k < thread_segments; ++k) {
        index_t const segment = first + k * block_threads;
        bool const empty = !begins(static_cast<index_t>(from[k]), static_cast<index_t>(to[k]), n);
        if (segment < segments && empty) to_all[segment] = init;
      }
    }
  };

 public:
  class tile {
   public:
    __device__ tile(searched_segment_totals const& work, tile_place const& at)
        : n_(at.n),
          base_(at.base),
          valid_(at.valid),
          share_(work.heads, at.base / row_items) {}  // read early: there when the tile is done

    __device__ __forceinline__ summary summarize(searched_segment_totals const& work,
                                                 shared_storage& shared) {
      Op const by = work.op.op;
      part_.load_items(work.in, base_, valid_, T(by.identity()));
      first_ = marks::first_of(work.heads, base_);
      part_.load_heads(marks::of(shared.heads, work.heads, base_, valid_, first_), base_, valid_);
      auto const end = part_.template scan_rows<row_prefix::inclusive>(work.segment_init, by);
      carries_ = part_.join_warps(shared.tile, end, by);
      return carries_.tile;
    }

    __device__ bool needs_prefix() const { return part_.begins_open(); }

    /// Stores what segments end with.
    template <class All>
    __device__ __forceinline__ void write(searched_segment_totals const& work,
                                          shared_storage& shared, tile_place const& /*at*/,
                                          summary const& before, All const& /*all*/) {
      part_.apply(carries_.warp_carry(before.value, work.op.op), work.op.op);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          shared.result[part_type::first_item() + r * part_type::row_items + j] = part_.items[r][j];
        }
      }
      simt::sync_block();
      index_t const n = n_, base = base_, all = base_ + valid_;
      device::each_segment<block_threads>(
          work.heads, first_, [&](index_t segment, index_t from, index_t to) {
            index_t const end = to < n ? to : n;  // what ends after the last item ends with it
            bool const here = base < end && end <= all;
            if (here && begins(from, to, n)) work.totals[segment] = shared.result[end - 1 - base];
            return from < n && end <= all;
          });
      share_.store_empty(work.totals, n, work.segment_init);
    }

   private:
    index_t n_;
    index_t base_;
    int valid_;
    share share_;
    index_t first_;  // of the segments that end in the tile
    part_type part_;
    typename part_type::warp_carries carries_;
  };

  In in;
  Totals totals;
  heads_type heads;
  op_type op;
  Init segment_init;

  __device__ void finish(summary const& /*all*/) const {}

  /// The number of shares. Share k belongs to tile k.
  LIBSCAN_HOST_DEVICE index_t tasks() const {
    return ceil_div(heads.segments, index_t{share_segments});
  }

  /// Does a share that belongs to no tile.
  __device__ void do_task(index_t number, index_t n) const {
    share(heads, number).store_empty(totals, n, segment_init);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
