// SPDX-License-Identifier: Apache-2.0
// The sort of long segments, all at once: each tile is within one segment. Each pass counts the
// digits of all tiles, scans the counts of each digit over its segment's tiles, then those of each
// segment over its digits, and moves the items (Merrill & Grimshaw 2011: reduce, then scan).
#pragma once

#include <type_traits>

#include <apps/radix_sort/device/digit_pass.cuh>
#include <apps/radix_sort/device/longer_segments.cuh>
#include <apps/radix_sort/device/shared_counter.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Items of one tile of a long segment.
struct alignas(16) segment_tile {
  index_t begin;
  int valid;
  unsigned number;  // of their segment among the long ones
};

/// The tiles of all long segments.
template <class Offset>
struct segment_tiles {
  segment_list<Offset> segments;
  longer_segments longer;
  segment_tile* tile;
  index_t* counts;  // [t][d]: how many items with digit d tile t has; then, the tiles before it
  index_t* begins;  // [number][d]: how many a long segment has; then where they begin

  /// Finds the items of every tile. By all blocks.
  __device__ void find() const {
    index_t const all = longer.tiles();
    index_t const threads = index_t{gridDim.x} * blockDim.x;
    for (index_t t = index_t{blockIdx.x} * blockDim.x + threadIdx.x; t < all; t += threads) {
      index_t const number = longer.at_tile(t);
      index_t const segment = longer.segment[number];
      index_t const begin =
          segments.begin(segment) + (t - longer.first_tile[number]) * longer.tile_items;
      index_t const left = segments.end(segment) - begin;
      tile[t] = {begin, static_cast<int>(left < longer.tile_items ? left : longer.tile_items),
                 static_cast<unsigned>(number)};
    }
  }

  /// One past the last tile of a long segment.
  __device__ index_t end_tile(index_t number) const {
    return number + 1 < longer.long_ones() ? longer.first_tile[number + 1] : longer.tiles();
  }
};

/// counts[t][d] = how many items of tile t have digit d. By all blocks.
template <class Order, class Offset, class Tuning>
struct count_segment_tiles {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int reads =  // of a thread, in flight together
      Tuning::items_per_thread % 8 == 0 ? 8 : Tuning::items_per_thread;

  struct shared_storage {
    unsigned count[digit_values];
  };

  static __device__ void run(shared_storage& shared, key_type const* in, Order const& order,
                             digit_place const& place, segment_tiles<Offset> const& tiles) {
    int const thread = static_cast<int>(threadIdx.x);
    index_t const all = tiles.longer.tiles();
    for (index_t t = blockIdx.x; t < all; t += gridDim.x) {
      segment_tile const tile = tiles.tile[t];
      for (int d = thread; d < digit_values; d += block_threads) shared.count[d] = 0;
      simt::sync_block();
      key_type const* const items = in + tile.begin;
      for (int first = thread; first < tile.valid; first += reads * block_threads) {
        key_type key[reads];
#pragma unroll
        for (int k = 0; k < reads; ++k) {
          int const i = first + k * block_threads;
          key[k] = items[i < tile.valid ? i : tile.valid - 1];
        }
#pragma unroll
        for (int k = 0; k < reads; ++k) {
          if (first + k * block_threads < tile.valid) {
            device::add_to_counter(shared.count[place.digit(order, key[k])], 1);
          }
        }
      }
      simt::sync_block();
      for (int d = thread; d < digit_values; d += block_threads) {
        tiles.counts[t * digit_values + d] = index_t{shared.count[d]};
      }
      simt::sync_block();
    }
  }
};

/// Scans the counts of each digit over the tiles of each segment. If there are few tiles, a warp
/// takes some digits; if many, a block does, and each of its warps takes a share of the tiles.
template <class Offset, int BlockThreads>
struct scan_segment_tiles {
  static constexpr int digits = simt::warp_size;  // of a warp or block
  static constexpr int slices = digit_values / digits;
  static constexpr int warps = BlockThreads / simt::warp_size;
  static constexpr int at_once = 8;  // counts that a thread reads
  static constexpr int few = 4 * at_once;

  struct shared_storage {
    index_t sum[warps][digits];
  };

  static __device__ void run(shared_storage& shared, segment_tiles<Offset> const& tiles) {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    index_t const parts = tiles.longer.long_ones() * slices;
    index_t const all_warps = index_t{gridDim.x} * warps;
    for (index_t p = index_t{blockIdx.x} * warps + warp; p < parts; p += all_warps) {
      part const own(tiles, p);
      if (own.to - own.from > few) continue;
      tiles.begins[own.number * digit_values + own.digit] =
          scan(tiles, own.from, own.to, own.digit, 0);
    }
    for (index_t p = blockIdx.x; p < parts; p += gridDim.x) {
      part const own(tiles, p);
      if (own.to - own.from <= few) continue;
      index_t const share = libscan::ceil_div(own.to - own.from, index_t{warps});
      index_t const from = own.from + warp * share;
      index_t const to = from + share < own.to ? from + share : own.to;
      index_t sum = 0;
      each_count(tiles, from, to, own.digit, [&](index_t, index_t count) { sum += count; });
      shared.sum[warp][simt::lane_id()] = sum;
      simt::sync_block();
      index_t before = 0;
      for (int w = 0; w < warp; ++w) before += shared.sum[w][simt::lane_id()];
      index_t const all = scan(tiles, from, to, own.digit, before);
      if (warp == warps - 1) tiles.begins[own.number * digit_values + own.digit] = all;
      simt::sync_block();
    }
  }

 private:
  /// A digit for each lane, of a segment.
  struct part {
    index_t number;    // of the segment
    index_t from, to;  // its tiles
    int digit;

    __device__ part(segment_tiles<Offset> const& tiles, index_t p)
        : number(p / slices),
          from(tiles.longer.first_tile[number]),
          to(tiles.end_tile(number)),
          digit(static_cast<int>(p % slices) * digits + simt::lane_id()) {}
  };

  /// Turns counts[t][digit] into `before` plus the sum of those before, for t = from ... to - 1.
  /// Returns the sum of all.
  static __device__ __forceinline__ index_t scan(segment_tiles<Offset> const& tiles, index_t from,
                                                 index_t to, int digit, index_t before) {
    each_count(tiles, from, to, digit, [&](index_t t, index_t count) {
      tiles.counts[t * digit_values + digit] = before;
      before += count;
    });
    return before;
  }

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

/// Turns the number of items of each digit of a segment into the digits' first places. A warp takes
/// a segment.
template <class Offset, int BlockThreads>
struct begin_segment_digits {
  static __device__ void run(segment_tiles<Offset> const& tiles) {
    constexpr int warps = BlockThreads / simt::warp_size;
    index_t const long_ones = tiles.longer.long_ones();
    index_t number = blockIdx.x * index_t{warps} + threadIdx.x / simt::warp_size;
    for (; number < long_ones; number += gridDim.x * index_t{warps}) {
      device::begin_digits(tiles.begins + number * digit_values,
                           tiles.segments.begin(tiles.longer.segment[number]));
    }
  }
};

/// Moves the items of all tiles to the places in the scanned counts. By all blocks.
template <class Order, class Value, class Offset, class Tuning>
struct move_segment_tiles {
  using key_type = typename Order::key_type;
  using tile_type = digit_tile<Order, Value, Tuning>;
  using value_type = typename tile_type::value_type;

  using shared_storage = typename tile_type::shared_storage;

  static __device__ void run(shared_storage& shared, key_type const* keys_in, key_type* keys_out,
                             value_type const* values_in, value_type* values_out,
                             Order const& order, digit_place const& place,
                             segment_tiles<Offset> const& tiles) {
    index_t const all = tiles.longer.tiles();
    for (index_t t = blockIdx.x; t < all; t += gridDim.x) {
      segment_tile const tile = tiles.tile[t];
      typename tile_type::lane_items items;
      items.first = tile.begin;
      items.valid = tile.valid;
      unsigned total[tile_type::digits_per_thread];
      tile_type::sort(shared, order, place, keys_in, items, total, [](int, unsigned) {});
#pragma unroll
      for (int j = 0; j < tile_type::digits_per_thread; ++j) {
        int const digit = tile_type::digit_of_thread(j);
        if (digit >= digit_values) continue;
        shared.shift[digit] += tiles.begins[index_t{tile.number} * digit_values + digit] +
                               tiles.counts[t * digit_values + digit];
      }
      tile_type::store(shared, order, place, keys_out, values_in, values_out, items);
    }
  }
};

/// Sorts all long segments: every pass in one launch; the blocks meet between its parts. Without
/// long segments the blocks return at once.
template <class Order, class Value, class Offset, class Tuning>
struct long_segments_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  using counter = count_segment_tiles<Order, Offset, Tuning>;
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
    for (int bit = order.first_bit; bit < order.end(); bit += device::digit_at(order, bit).bits) {
      ++passes_left;
    }
    if (passes_left == 0) passes_left = 1;  // a copy: there are no bits to sort by
    tiles.find();
    simt::sync_grid();
    bool is_first = true;
    for (int bit = order.first_bit; passes_left > 0; --passes_left) {
      digit_place const place = device::digit_at(order, bit);
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
      begin_segment_digits<Offset, block_threads>::run(tiles);
      simt::sync_grid();
      mover::run(shared.moving, from, into_out ? keys.out : keys.other, values_from, values_to,
                 order, place, tiles);
      if (passes_left > 1) simt::sync_grid();
      is_first = false;
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
