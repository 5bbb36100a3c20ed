// SPDX-License-Identifier: Apache-2.0
// The sort of as many items as one cluster of blocks holds: one launch makes all passes, and items
// go from block to block directly, not through memory. The fastest way for small n. What one block
// holds is sorted in this way on any GPU with enough shared memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <apps/radix_sort/device/register_tile.cuh>
#include <libscan/tuning/radix_sort.hpp>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The cluster sort: one tile a block, of `rows` rows for each warp; tiles of 2^k items.
template <class Order, class Value, class Tuning>
struct cluster_sort_kernel {
  using key_type = typename Order::key_type;
  using tile_type = register_tile<Order, Value, Tuning>;
  using lane_items = typename tile_type::lane_items;
  using value_type = typename tile_type::value_type;
  static constexpr bool has_values = tile_type::has_values;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = 1;
  static constexpr int max_blocks = Tuning::max_blocks;
  static constexpr int tile_items = tile_type::tile_items;
  static_assert(std::has_single_bit(static_cast<unsigned>(block_threads)));

  struct shared_storage {
    typename tile_type::shared_storage tile;
    key_type key[tile_items];  // what comes from all blocks
    // The tile's values before a pass and after it, in turn.
    value_type value[has_values ? 2 : 1][has_values ? tile_items : 1];
    // For each digit; for this pass and the next, which a block may begin while others read.
    unsigned total[2][digit_values];
    unsigned shift[digit_values];  // modulo 2^32, from the tile to where they go among all
    // Digits that not all keys have in common, from pass 0 on: of the block's keys, and of all
    // keys.
    unsigned unlike_here, unlike;
  };

  /// `witness`: whether keys show that a tile was sorted stably.
  __device__ void operator()(shared_storage& shared, item_count length, int rows, Order order,
                             bool witness, sort_buffers<key_type> keys, sort_buffers<Value> values,
                             digit_list digits) const {
    auto const n = static_cast<unsigned>(length.get());
    lane_items items(n, rows);
    if (gridDim.x == 1) return sort_alone(shared, order, witness, keys, values, items, digits);
    simt::arrive_cluster();
    items.load(keys.in + items.first);
    items.stage(device::input_of(values), shared.value[0]);
    key_type const any = n > 0 ? keys.in[0] : key_type{};
    tile_type::tell_unlike(shared.tile, items.unlike(order, digits, any));
    simt::wait_cluster();  // all blocks have begun
    int side = 0;          // where the values are
    bool stored = false;
    int turn = 0;  // of the totals
    for (int p = 0; p < digits.count; ++p) {
      if (p > 0 && (shared.unlike >> p & 1) == 0) continue;
      digit_place const place = digits.place[p];
      unsigned* const totals = shared.total[turn];
      turn = 1 - turn;
      unsigned const begin =
          tile_type::sort(shared.tile, order, witness, place, items, [&](unsigned total) {
            if (threadIdx.x < digit_values) totals[threadIdx.x] = total;
            if (p == 0) {
              tile_type::set_by_last_warp(shared.unlike_here,
                                          [&] { return tile_type::unlike_in_block(shared.tile); });
            }
            simt::arrive_cluster();
          });
      simt::wait_cluster();
      if (p == 0) {
        tile_type::set_by_last_warp(shared.unlike, [&] { return unlike_in_cluster(shared); });
      }
      bool const moves = find_shifts(shared, totals, begin, n, digits.offsets);
      bool const last = shared.unlike >> (p + 1) == 0;
      if (last) simt::arrive_cluster();  // reads no other block's memory any more
      if (last && moves) {
        tile_type::store_sorted(shared.tile, order, place, shared.shift, items.valid,
                                shared.value[side], keys.out, device::output_of(values));
        stored = true;
      }
      if (last) break;
      if (!moves) continue;
      send(shared, order, place, items, side);
      simt::arrive_cluster();
      simt::wait_cluster();
      items.load(shared.key);
      if constexpr (has_values) side = 1 - side;
    }
    if (!stored) {
      items.store(keys.out + items.first);
      if constexpr (has_values) {
        items.each([&](int row) {
          values.out[items.first + items.in_tile(row)] = shared.value[side][items.in_tile(row)];
        });
      }
    }
    simt::wait_cluster();  // no block reads this block's memory any more
  }

 private:
  /// What all blocks have found; called by a whole warp.
  static __device__ unsigned unlike_in_cluster(shared_storage& shared) {
    auto const block = threadIdx.x % simt::warp_size;
    unsigned const there = block < gridDim.x ? simt::map_shared_rank(shared.unlike_here, block) : 0;
    return simt::reduce_or(simt::full_warp, there);
  }

  /// All passes of a single block. Only at the end does it check that counters have ranked the
  /// items correctly in all passes; if not, it starts again.
  static __device__ void sort_alone(shared_storage& shared, Order const& order, bool witness,
                                    sort_buffers<key_type> const& keys,
                                    sort_buffers<Value> const& values, lane_items& items,
                                    digit_list const& digits) {
    auto& tile = shared.tile;
    unsigned origin[tile_type::has_positions ? tile_type::max_rows : 1] = {};
    bool by_counters = tile_type::has_positions || witness;
    items.load(keys.in);
    items.stage(device::input_of(values), shared.value[0]);
    tile_type::tell_unlike(tile,
                           items.unlike(order, digits, items.valid > 0 ? keys.in[0] : key_type{}));
    unsigned unlike = 1;
    for (;; by_counters = false, items.load(keys.in)) {
      if constexpr (tile_type::has_positions) {
        items.each([&](int row) { origin[row] = items.in_tile(row); });
      }
      for (int p = 0; p < digits.count; ++p) {
        if (p > 0 && (unlike >> p & 1) == 0) continue;
        unsigned all = 0;
        unsigned const begin = tile_type::sort_once(
            tile, order, by_counters, digits.place[p], items,
            [&](int row) { return origin[tile_type::has_positions ? row : 0]; },
            [&](unsigned total) { all = total; });
        if (threadIdx.x < digit_values)
          digits.offsets.store_bucket(threadIdx.x, begin, begin + all);
        unlike = tile_type::unlike_in_block(tile);
        items.load(tile.key);
        if constexpr (tile_type::has_positions) {
          items.each([&](int row) { origin[row] = tile.position[items.in_tile(row)]; });
        }
      }
      if (!by_counters || tile_type::in_order(tile, order, items.valid)) break;
    }
    items.store(keys.out);
    if constexpr (has_values) {
      items.each([&](int row) { values.out[items.in_tile(row)] = shared.value[0][origin[row]]; });
    }
  }

  /// Finds where the block's items of each digit go, from the counts of all blocks; false if all
  /// keys have the same digit, so that nothing moves. Ends with a barrier.
  static __device__ bool find_shifts(shared_storage& shared, unsigned* totals, unsigned begin,
                                     unsigned n, bucket_offsets const& offsets) {
    auto const digit = threadIdx.x;
    unsigned before = 0, all = 0;
    if (digit < digit_values) {
#pragma unroll
      for (unsigned b = 0; b < max_blocks; ++b) {
        unsigned const total = b < gridDim.x ? simt::map_shared_rank(totals[digit], b) : 0;
        all += total;
        if (b < blockIdx.x) before += total;
      }
    }
    unsigned const first = tile_type::scan_digits(shared.tile, all);
    if (digit < digit_values) {
      if (blockIdx.x == 0) offsets.store_bucket(digit, first, first + all);
      shared.shift[digit] = first + before - begin;
    }
    return !simt::sync_block_or(digit < digit_values && all == n);
  }

  /// Stores the tile's items in their places, in all blocks; values move from one side to the
  /// other.
  static __device__ void send(shared_storage& shared, Order const& order, digit_place place,
                              lane_items const& items, int side) {
    auto const tile = static_cast<unsigned>(items.rows) * block_threads;  // a power of 2
    int const log2 = simt::warp_size - 1 - simt::clz(tile);
    tile_type::each_sorted(shared.tile, order, place, shared.shift, items.valid,
                           [&](unsigned target, unsigned i) {
                             unsigned const block = target >> log2;
                             unsigned const item = target & (tile - 1);
                             simt::map_shared_rank(shared.key[item], block) = shared.tile.key[i];
                             if constexpr (has_values) {
                               simt::map_shared_rank(shared.value[1 - side][item], block) =
                                   shared.value[side][shared.tile.position[i]];
                             }
                           });
  }
};

/// Tiles of a cluster sort.
struct cluster_shape {
  int rows;
  unsigned blocks;
};

/// How to sort up to n items in one cluster of at most this many blocks; no rows if they do not
/// fit.
template <class Tuning>
cluster_shape shape_cluster(index_t n, index_t max_blocks) {
  static_assert(Tuning::min_rows_together <= Tuning::max_rows_together &&
                Tuning::max_rows_together <= Tuning::items_per_thread);
  constexpr index_t row_items = Tuning::block_threads;
  index_t const rows = std::max<index_t>(ceil_div(n, row_items), 1);
  if (rows <= Tuning::items_per_thread) return {static_cast<int>(rows), 1};
  index_t const shared_out =
      libscan::ceil_div(rows, std::min<index_t>(max_blocks, Tuning::max_blocks));
  auto const some = static_cast<int>(std::bit_ceil(
      static_cast<std::uint64_t>(std::max<index_t>(shared_out, Tuning::min_rows_together))));
  if (some > Tuning::max_rows_together) return {0, 0};
  return {some, static_cast<unsigned>(ceil_div(n, some * row_items))};
}

/// Sorts in one cluster if the device can; returns whether it did.
template <class Tuning, class Order, class Value>
bool cluster_sort(workspace& ws, sort_buffers<typename Order::key_type> keys,
                  sort_buffers<Value> values, item_count n, Order const& order,
                  digit_list const& digits) {
  using kernel = cluster_sort_kernel<Order, Value, Tuning>;
  using key_type = typename Order::key_type;
  if (sizeof(typename kernel::shared_storage) > simt::max_shared_bytes()) return false;
  auto const max_blocks =
      simt::max_cluster_blocks<kernel, item_count, int, Order, bool, sort_buffers<key_type>,
                               sort_buffers<Value>, digit_list>();
  cluster_shape const shape = device::shape_cluster<Tuning>(n.at_most(), max_blocks);
  if (shape.rows == 0) return false;
  simt::launch<kernel>({.blocks = shape.blocks,
                        .threads = kernel::block_threads,
                        .on = ws.stream(),
                        .cluster = shape.blocks > 1},
                       n, shape.rows, order, device::keys_are_witness(order), keys, values, digits);
  return true;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
