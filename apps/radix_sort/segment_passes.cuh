// SPDX-License-Identifier: Apache-2.0
// The sort of long segments, all at once: a tile lies within one segment. Each pass counts the
// digits of all tiles, scans the counts of each segment's tiles, and moves the items (Merrill &
// Grimshaw 2011: reduce, then scan).
#pragma once

#include <apps/radix_sort/digit_tile.cuh>
#include <apps/radix_sort/segment_groups.cuh>
#include <apps/radix_sort/shared_counter.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// How many tiles each segment takes: none if it is short. An iterator.
template <class Offset>
struct tiles_of_segments {
  segment_list<Offset> segments;
  index_t longest_short;
  index_t tile_items;
  index_t from = 0;

  __device__ index_t operator[](index_t i) const {
    index_t const length = segments.length(from + i);
    return length > longest_short ? ceil_div(length, tile_items) : 0;
  }
  __device__ tiles_of_segments operator+(index_t distance) const {
    return {segments, longest_short, tile_items, from + distance};
  }
};

/// The tiles of all long segments: those of segment s begin with number first_tile[s]; there are
/// first_tile[count] in all. counts[t][d]: how many items with digit d tile t has, then where they
/// go.
template <class Offset>
struct segment_tiles {
  segment_list<Offset> segments;
  index_t const* first_tile;
  index_t* counts;

  __device__ index_t all() const { return first_tile[segments.count]; }

  /// The segment of a tile: the last that begins with it or before.
  __device__ index_t segment_of(index_t tile) const {
    index_t low = 0, high = segments.count;
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      if (first_tile[middle + 1] > tile) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// First item of a tile, and how many it has.
  __device__ index_t begin(index_t segment, index_t tile, int tile_items) const {
    return segments.begin(segment) + (tile - first_tile[segment]) * tile_items;
  }
  __device__ int valid(index_t segment, index_t begin, int tile_items) const {
    index_t const left = segments.end(segment) - begin;
    return left < tile_items ? static_cast<int>(left) : tile_items;
  }
};

/// counts[t][d] = how many items of tile t have digit d.
template <class Order, class Offset, class Tuning>
struct count_segment_tiles_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int tile_items = block_threads * Tuning::items_per_thread;

  struct shared_storage {
    unsigned count[digit_values];
    index_t segment;
  };

  __device__ void operator()(shared_storage& shared, key_type const* in, Order order,
                             digit_place place, segment_tiles<Offset> tiles) const {
    int const thread = static_cast<int>(threadIdx.x);
    for (index_t tile = blockIdx.x; tile < tiles.all(); tile += gridDim.x) {
      if (thread == 0) shared.segment = tiles.segment_of(tile);
      for (int d = thread; d < digit_values; d += block_threads) shared.count[d] = 0;
      simt::sync_block();
      index_t const begin = tiles.begin(shared.segment, tile, tile_items);
      int const valid = tiles.valid(shared.segment, begin, tile_items);
      for (int i = thread; i < valid; i += block_threads) {
        add_to_counter(shared.count[place.digit(order, in[begin + i])], 1);
      }
      simt::sync_block();
      for (int d = thread; d < digit_values; d += block_threads) {
        tiles.counts[tile * digit_values + d] = index_t{shared.count[d]};
      }
      simt::sync_block();
    }
  }
};

/// Scans the counts of each segment: those of smaller digits come before, then those of earlier
/// tiles. A block takes a segment; its groups of threads each take a share of the tiles.
template <class Offset>
struct scan_segment_tiles_kernel {
  static constexpr int block_threads = 1024;
  static constexpr int groups = block_threads / digit_values;

  struct shared_storage {
    index_t sum[groups][digit_values];
    block::scan_storage<index_t, block_threads> scan;
  };

  __device__ void operator()(shared_storage& shared, segment_tiles<Offset> tiles) const {
    auto const digit = static_cast<int>(threadIdx.x) % digit_values;
    int const group = static_cast<int>(threadIdx.x) / digit_values;
    index_t const all = tiles.all();
    for (index_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
      index_t const segment = tiles.segment_of(tile);
      if (tiles.first_tile[segment] != tile) continue;
      index_t const count = tiles.first_tile[segment + 1] - tile;
      index_t const share = ceil_div(count, index_t{groups});
      index_t const from = tile + group * share;
      index_t const limit = tile + count;
      index_t const to = from + share < limit ? from + share : limit;
      index_t sum = 0;
      for (index_t t = from; t < to; ++t) sum += tiles.counts[t * digit_values + digit];
      shared.sum[group][digit] = sum;
      simt::sync_block();
      index_t total = 0, before = 0;
      for (int g = 0; g < groups; ++g) {
        if (g < group) before += shared.sum[g][digit];
        total += shared.sum[g][digit];
      }
      index_t const smaller =
          block::exclusive_scan(shared.scan, group == 0 ? total : 0, plus<index_t>{}).prefix;
      if (group == 0) shared.sum[0][digit] = smaller;
      simt::sync_block();
      index_t next = tiles.segments.begin(segment) + shared.sum[0][digit] + before;
      for (index_t t = from; t < to; ++t) {
        index_t const own = tiles.counts[t * digit_values + digit];
        tiles.counts[t * digit_values + digit] = next;
        next += own;
      }
      simt::sync_block();
    }
  }
};

/// Moves the items of all tiles to where the scanned counts say.
template <class Order, class Value, class Offset, class Tuning>
struct move_segment_tiles_kernel {
  using key_type = typename Order::key_type;
  using tile_type = digit_tile<Order, Value, Tuning>;
  using value_type = typename tile_type::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    index_t segment;
  };

  __device__ void operator()(shared_storage& shared, key_type const* keys_in, key_type* keys_out,
                             value_type const* values_in, value_type* values_out, Order order,
                             digit_place place, segment_tiles<Offset> tiles) const {
    for (index_t tile = blockIdx.x; tile < tiles.all(); tile += gridDim.x) {
      if (threadIdx.x == 0) shared.segment = tiles.segment_of(tile);
      simt::sync_block();
      typename tile_type::lane_items items;
      items.first = tiles.begin(shared.segment, tile, tile_type::tile_items);
      items.valid = tiles.valid(shared.segment, items.first, tile_type::tile_items);
      unsigned total[tile_type::digits_per_thread];
      tile_type::sort(shared.tile, order, place, keys_in, items, total, [](int, unsigned) {});
#pragma unroll
      for (int j = 0; j < tile_type::digits_per_thread; ++j) {
        int const digit = tile_type::digit_of_thread(j);
        if (digit >= digit_values) continue;
        shared.tile.shift[digit] += tiles.counts[tile * digit_values + digit];
      }
      tile_type::store(shared.tile, order, place, keys_out, values_in, values_out, items);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
