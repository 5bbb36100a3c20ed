// SPDX-License-Identifier: Apache-2.0
// The sort of long segments, all at once: a tile lies within one segment. Each pass counts the
// digits of all tiles, scans the counts of each segment's tiles, and moves the items (Merrill &
// Grimshaw 2011: reduce, then scan).
#pragma once

#include <type_traits>

#include <apps/radix_sort/digit_tile.cuh>
#include <apps/radix_sort/longer_segments.cuh>
#include <apps/radix_sort/shared_counter.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The tiles of all long segments. counts[t][d]: how many items with digit d tile t has, then where
/// they go.
template <class Offset>
struct segment_tiles {
  segment_list<Offset> segments;
  longer_segments longer;
  index_t* counts;

  /// Items of one tile.
  struct tile_items {
    index_t begin;
    int valid;
  };
  __device__ tile_items items(index_t tile) const {
    index_t const number = longer.at_tile(tile);
    index_t const segment = longer.segment[number];
    index_t const begin =
        segments.begin(segment) + (tile - longer.first_tile[number]) * longer.tile_items;
    index_t const left = segments.end(segment) - begin;
    return {begin, static_cast<int>(left < longer.tile_items ? left : longer.tile_items)};
  }

  /// One past the last tile of a long segment.
  __device__ index_t end_tile(index_t number) const {
    return number + 1 < longer.long_ones() ? longer.first_tile[number + 1] : longer.tiles();
  }
};

/// counts[t][d] = how many items of tile t have digit d. By all blocks.
template <class Order, class Offset, int BlockThreads>
struct count_segment_tiles {
  using key_type = typename Order::key_type;

  struct shared_storage {
    unsigned count[digit_values];
    typename segment_tiles<Offset>::tile_items of_tile;
  };

  static __device__ void run(shared_storage& shared, key_type const* in, Order const& order,
                             digit_place const& place, segment_tiles<Offset> const& tiles) {
    int const thread = static_cast<int>(threadIdx.x);
    index_t const all = tiles.longer.tiles();
    for (index_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
      if (thread == 0) shared.of_tile = tiles.items(tile);
      for (int d = thread; d < digit_values; d += BlockThreads) shared.count[d] = 0;
      simt::sync_block();
      for (int i = thread; i < shared.of_tile.valid; i += BlockThreads) {
        add_to_counter(shared.count[place.digit(order, in[shared.of_tile.begin + i])], 1);
      }
      simt::sync_block();
      for (int d = thread; d < digit_values; d += BlockThreads) {
        tiles.counts[tile * digit_values + d] = index_t{shared.count[d]};
      }
      simt::sync_block();
    }
  }
};

/// Scans the counts of each segment: those of smaller digits come before, then those of earlier
/// tiles. A block takes a segment; its groups of threads each take a share of the tiles.
template <class Offset, int BlockThreads>
struct scan_segment_tiles {
  static constexpr int groups = BlockThreads < digit_values ? 1 : BlockThreads / digit_values;
  static constexpr int group_threads = BlockThreads / groups;
  static constexpr int digits_per_thread = (digit_values + group_threads - 1) / group_threads;
  static constexpr int at_once = 8;  // counts that a thread reads
  static_assert(digit_values % digits_per_thread == 0);

  struct shared_storage {
    index_t sum[groups][digit_values];
    block::scan_storage<index_t, BlockThreads> scan;
  };

  static __device__ void run(shared_storage& shared, segment_tiles<Offset> const& tiles) {
    int const group = static_cast<int>(threadIdx.x) / group_threads;
    int const first_digit = static_cast<int>(threadIdx.x) % group_threads * digits_per_thread;
    index_t const long_ones = tiles.longer.long_ones();
    for (index_t number = blockIdx.x; number < long_ones; number += gridDim.x) {
      index_t const tile = tiles.longer.first_tile[number];
      index_t const limit = tiles.end_tile(number);
      index_t const share = ceil_div(limit - tile, index_t{groups});
      index_t const from = tile + group * share;
      index_t const to = from + share < limit ? from + share : limit;
      // 1 sum the group's tiles, for each digit
      for (int d = first_digit; d < first_digit + digits_per_thread && d < digit_values; ++d) {
        index_t sum = 0;
        each_count(tiles, from, to, d, [&](index_t, index_t count) { sum += count; });
        shared.sum[group][d] = sum;
      }
      simt::sync_block();
      // 2 find where each digit begins, then each group's part of it
      index_t own = 0;
      for (int d = first_digit; group == 0 && d < first_digit + digits_per_thread; ++d) {
        for (int g = 0; d < digit_values && g < groups; ++g) own += shared.sum[g][d];
      }
      index_t next = block::exclusive_scan(shared.scan, own, plus<index_t>{}).prefix;
      next += tiles.segments.begin(tiles.longer.segment[number]);
      for (int d = first_digit; group == 0 && d < first_digit + digits_per_thread; ++d) {
        for (int g = 0; d < digit_values && g < groups; ++g) {
          index_t const sum = shared.sum[g][d];
          shared.sum[g][d] = next;
          next += sum;
        }
      }
      simt::sync_block();
      // 3 turn the counts into places
      for (int d = first_digit; d < first_digit + digits_per_thread && d < digit_values; ++d) {
        index_t place = shared.sum[group][d];
        each_count(tiles, from, to, d, [&](index_t t, index_t count) {
          tiles.counts[t * digit_values + d] = place;
          place += count;
        });
      }
      simt::sync_block();
    }
  }

 private:
  /// use(t, counts[t][digit]) for t = from ... to - 1.
  template <class Use>
  static __device__ __forceinline__ void each_count(segment_tiles<Offset> const& tiles,
                                                    index_t from, index_t to, int digit, Use use) {
    for (index_t t = from; t < to; t += at_once) {
      index_t count[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        count[k] = t + k < to ? tiles.counts[(t + k) * digit_values + digit] : 0;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (t + k < to) use(t + k, count[k]);
      }
    }
  }
};

/// Moves the items of all tiles to where the scanned counts say. By all blocks.
template <class Order, class Value, class Offset, class Tuning>
struct move_segment_tiles {
  using key_type = typename Order::key_type;
  using tile_type = digit_tile<Order, Value, Tuning>;
  using value_type = typename tile_type::value_type;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    typename segment_tiles<Offset>::tile_items of_tile;
  };

  static __device__ void run(shared_storage& shared, key_type const* keys_in, key_type* keys_out,
                             value_type const* values_in, value_type* values_out,
                             Order const& order, digit_place const& place,
                             segment_tiles<Offset> const& tiles) {
    index_t const all = tiles.longer.tiles();
    for (index_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
      if (threadIdx.x == 0) shared.of_tile = tiles.items(tile);
      simt::sync_block();
      typename tile_type::lane_items items;
      items.first = shared.of_tile.begin;
      items.valid = shared.of_tile.valid;
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

/// Sorts all long segments: every pass in one launch, between whose parts the blocks meet. Where
/// there are none, they find that out and leave.
template <class Order, class Value, class Offset, class Tuning>
struct long_segments_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  using counter = count_segment_tiles<Order, Offset, block_threads>;
  using scanner = scan_segment_tiles<Offset, block_threads>;
  using mover = move_segment_tiles<Order, Value, Offset, Tuning>;
  using value_type = typename mover::value_type;

  union shared_storage {
    typename counter::shared_storage counting;
    typename scanner::shared_storage scanning;
    typename mover::shared_storage moving;
  };

  __device__ void operator()(shared_storage& shared, Order order, sort_buffers<key_type> keys,
                             sort_buffers<Value> values, segment_tiles<Offset> tiles) const {
    if (tiles.longer.long_ones() == 0) return;
    int passes_left = 0;
    for (int bit = order.first_bit; bit < order.end(); bit += digit_at(order, bit).bits) {
      ++passes_left;
    }
    if (passes_left == 0) passes_left = 1;  // a copy: no bit counts
    bool is_first = true;
    for (int bit = order.first_bit; passes_left > 0; --passes_left) {
      digit_place const place = digit_at(order, bit);
      bit += place.bits;
      bool const into_out = passes_left % 2 == 1;
      key_type const* const from = is_first ? keys.in : into_out ? keys.other : keys.out;
      value_type const* values_from = nullptr;
      value_type* values_to = nullptr;
      if constexpr (!std::is_void_v<Value>) {
        values_from = is_first ? values.in : into_out ? values.other : values.out;
        values_to = into_out ? values.out : values.other;
      }
      counter::run(shared.counting, from, order, place, tiles);
      simt::sync_grid();
      scanner::run(shared.scanning, tiles);
      simt::sync_grid();
      mover::run(shared.moving, from, into_out ? keys.out : keys.other, values_from, values_to,
                 order, place, tiles);
      if (passes_left > 1) simt::sync_grid();
      is_first = false;
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
