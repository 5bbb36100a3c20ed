// SPDX-License-Identifier: Apache-2.0
// One tile of a segmented scan or reduction: values in registers, head flags as a few bits per
// thread, so no pairs of value and flag are stored.
#pragma once

#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/device/segmented_row.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Tile of the segmented scan: 64 bytes of values per thread where possible.
template <class T>
struct segmented_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = threads_for(256, sizeof(T));
  static constexpr int resident_blocks = sizeof(T) <= 8 ? 4 : 2;  // of a multiprocessor
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T))
                                                            : 1;
};

/// A tile of `BlockThreads * Rows * Width` items. A warp holds consecutive rows; in a row, a lane
/// holds `Width` consecutive items.
template <class T, int BlockThreads, int Rows, int Width>
struct segmented_tile {
  static constexpr int warps = BlockThreads / simt::warp_size;
  static constexpr int row_items = simt::warp_size * Width;
  static constexpr int warp_items = Rows * row_items;
  static constexpr int tile_items = warps * warp_items;
  static_assert(Rows * Width <= 32 && Width <= 16, "a lane keeps a bit of each of its items");

  /// Shared memory. Reusable after the next barrier that all threads pass after `join_warps`.
  /// Aligned, so that each thread reads those of several warps at once.
  struct shared_storage {
    alignas(alignof(T) > 16 ? alignof(T) : 16) T last[warps];
    bool has_head[warps];
  };

  /// The carries of the warps before the caller's and of all warps of the tile, without the
  /// tile's carry.
  struct warp_carries {
    segment_carry<T> before_warp;
    segment_carry<T> tile;

    /// What enters the caller's warp, if `carry` enters the tile.
    template <class Op>
    __device__ T warp_carry(T carry, Op op) const {
      return before_warp.has_head ? before_warp.value : T(op(carry, before_warp.value));
    }
  };

  /// How many head flags each warp has: shared memory.
  struct head_counts {
    int of_warp[warps];
  };
  /// The head flags of the warp before the caller's part of each row.
  struct head_ranks {
    int of_row[Rows];
  };
  /// The head flags of the tile, and of its warps before the caller's.
  struct heads_begun {
    int tile;
    int before_warp;
  };

  T items[Rows][Width];
  unsigned heads;  // bit r * Width + j: a segment begins at items[r][j]
  unsigned open;   // bits of the items to which the warp's carry must be added

  /// Which item of the tile is items[0][0] of the caller.
  static __device__ int first_item() {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    return warp * warp_items + simt::lane_id() * Width;
  }

  /// How many of n items the tile at `base` has.
  static __device__ int valid_items(index_t n, index_t base) {
    return device::valid_items<tile_items>(n, base);
  }

  /// How many items of row r the caller has, if the tile has `valid`.
  static __device__ int row_count(int valid, int r) {
    int const rest = valid - first_item() - r * row_items;
    return rest < 0 ? 0 : rest < Width ? rest : Width;
  }

  __device__ unsigned row_heads(int r) const { return heads >> (r * Width) & ((1u << Width) - 1); }

  /// Loads items and head flags of the tile at `base`; identities after its `valid` items.
  template <class In, class Heads>
  __device__ void load(In in, Heads const& descriptor, index_t base, int valid, T identity) {
    load_items(in, base, valid, identity);
    load_heads(descriptor, base, valid);
  }

  /// Its items only.
  template <class In>
  __device__ void load_items(In in, index_t base, int valid, T identity) {
    index_t const first = base + first_item();
    if (valid == tile_items && warp::whole_rows<Width>(in)) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) warp::load_whole_row(in, first + r * row_items, items[r]);
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        warp::load_row(in, first + r * row_items, row_count(valid, r), identity, items[r]);
      }
    }
  }

  /// Its head flags only.
  template <class Heads>
  __device__ void load_heads(Heads const& descriptor, index_t base, int valid) {
    index_t const first = base + first_item();
    heads = 0;
    if (valid == tile_items && device::whole_rows<Width>(descriptor)) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        heads |= device::whole_bits<Width>(descriptor, first + r * row_items) << (r * Width);
      }
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        heads |= device::bits<Width>(descriptor, first + r * row_items, row_count(valid, r))
                 << (r * Width);
      }
    }
    if (base == 0 && valid > 0 && threadIdx.x == 0) heads |= 1;
  }

  /// Scans the rows of each warp within segments, `init` before each. Items before the warp's first
  /// head lack the warp's carry, and are marked open. Returns the warp's open end.
  template <row_prefix What, class Op>
  __device__ segment_carry<T> scan_rows(T init, Op op) {
    segment_carry<T> all{op.identity(), false};
    open = 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      unsigned const own = row_heads(r);
      bool const warp_open = !all.has_head;
      bool const headless = device::scan_row<What>(items[r], own, all, init, op);
      if (headless && warp_open) {
        int const first_head = own == 0 ? Width : simt::ffs(own) - 1;
        unsigned const reach = What == row_prefix::ended ? 2u << first_head : 1u << first_head;
        open |= ((reach - 1) & ((1u << Width) - 1)) << (r * Width);
      }
    }
    return all;
  }

  /// Joins the carries of the warps; each passes `warp_end` from `scan_rows`. Passes a barrier.
  template <class Op>
  __device__ warp_carries join_warps(shared_storage& shared, segment_carry<T> warp_end,
                                     Op op) const {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    if (simt::lane_id() == 0) {
      shared.last[warp] = warp_end.value;
      shared.has_head[warp] = warp_end.has_head;
    }
    simt::sync_block();
    int const lane = simt::lane_id();
    unsigned const with_head = simt::ballot(simt::full_warp, lane < warps && shared.has_head[lane]);
    T before_warp = op.identity();
    T tile = op.identity();
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w == warp) before_warp = tile;
      T const last = shared.last[w];
      tile = (with_head >> w & 1u) != 0 ? last : T(op(tile, last));
    }
    unsigned const earlier_warps = (1u << warp) - 1;
    return {{before_warp, (with_head & earlier_warps) != 0}, {tile, with_head != 0}};
  }

  /// Whether the first item lacks what enters the tile. In thread 0 of the block.
  __device__ bool begins_open() const { return threadIdx.x == 0 && (open & 1u) != 0; }

  /// Ranks the head flags of each row, and counts those of the warp in shared memory.
  __device__ head_ranks rank_heads(head_counts& shared) const {
    constexpr int bits = Width >= 16 ? 5 : Width >= 8 ? 4 : Width >= 4 ? 3 : Width >= 2 ? 2 : 1;
    head_ranks ranks;
    int all = 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      auto const own = static_cast<unsigned>(simt::popc(row_heads(r)));
      auto const row = warp::bitwise_scan<bits>(own);
      ranks.of_row[r] = all + static_cast<int>(row.prefix);
      all += static_cast<int>(row.total);
    }
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    if (simt::lane_id() == 0) shared.of_warp[warp] = all;
    return ranks;
  }

  /// Adds up what `rank_heads` counted before a barrier.
  static __device__ heads_begun count_heads(head_counts const& shared) {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    heads_begun begun{0, 0};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w == warp) begun.before_warp = begun.tile;
      begun.tile += shared.of_warp[w];
    }
    return begun;
  }

  /// Calls use(segment, i, item) for each head of the caller, item i of the tile. `before`: the
  /// segments begun before the warp.
  template <class Use>
  __device__ void each_head(head_ranks const& ranks, index_t before, Use use) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      unsigned const own = row_heads(r);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if ((own >> j & 1u) == 0) continue;
        use(before + ranks.of_row[r] + simt::popc(own & ((1u << j) - 1)),
            first_item() + r * row_items + j, items[r][j]);
      }
    }
  }

  /// Adds the warp's carry to the items before its first head.
  template <class Op>
  __device__ void apply(T warp_carry, Op op) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if ((open >> (r * Width + j) & 1u) != 0) items[r][j] = op(warp_carry, items[r][j]);
      }
    }
  }

  /// Writes the items of the tile at `base` that are in segments.
  template <class Out, class Items>
  __device__ void store(Out out, index_t base, int valid, Items const& in_segments) const {
    index_t const first = base + first_item();
    if (!in_segments.hold(0, valid)) {
#pragma unroll
      for (int k = 0; k < Rows * Width; ++k) {
        int const item = first_item() + k / Width * row_items + k % Width;
        if (item < valid && in_segments.has(item)) out[base + item] = items[k / Width][k % Width];
      }
      return;
    }
    if (valid == tile_items && warp::whole_rows<Width>(out)) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) warp::store_whole_row(out, first + r * row_items, items[r]);
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        warp::store_row(out, first + r * row_items, row_count(valid, r), items[r]);
      }
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
