// SPDX-License-Identifier: Apache-2.0
// The sort of as many items as all multiprocessors hold at once: one launch makes all passes, and
// the blocks meet at barriers of the grid. Every item is on chip when its place is overwritten, so
// no buffer but the output is needed. The fastest way for n too large for one cluster, up to this
// limit.
#pragma once

#include <algorithm>
#include <cstdint>

#include <apps/radix_sort/device/register_tile.cuh>
#include <libscan/tuning/radix_sort.hpp>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The resident sort: one tile a block, of `rows` rows for each warp.
template <class Order, class Value, class Tuning>
struct resident_sort_kernel {
  using key_type = typename Order::key_type;
  using tile_type = register_tile<Order, Value, Tuning>;
  using lane_items = typename tile_type::lane_items;
  static constexpr bool has_values = tile_type::has_values;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = 1;
  static constexpr int tile_items = tile_type::tile_items;
  using count_type = std::uint16_t;         // of a tile's items; and bits of all digits
  static constexpr int digits_at_once = 4;  // that a thread reads of a block's counts
  static constexpr int lanes_of_block = 8;  // that read in the same
  static constexpr int blocks_of_warp = simt::warp_size / lanes_of_block;
  static constexpr int groups = tile_type::shares;  // of warps that read all digits
  static_assert(digit_list::max_digits <= 8 * sizeof(count_type));
  static_assert(lanes_of_block * digits_at_once * tile_type::digit_warps == digit_values);

  struct shared_storage {
    typename tile_type::shared_storage tile;
    typename tile_type::value_type value[has_values ? tile_items : 1];
    unsigned before[groups][digit_values];
    unsigned all[groups][digit_values];
    unsigned shift[digit_values];  // modulo 2^32, from the tile to where they go in memory
    unsigned unlike;               // digits that not all keys have in common; from pass 0 on
  };

  /// `witness`: whether keys show that a tile was sorted stably.
  __device__ void operator()(shared_storage& shared, item_count length, int rows, Order order,
                             bool witness, sort_buffers<key_type> keys, sort_buffers<Value> values,
                             digit_list digits, count_type* counts) const {
    auto const n = static_cast<unsigned>(length.get());
    lane_items items(n, rows);
    items.load(keys.in + items.first);
    items.stage(device::input_of(values), shared.value);
    key_type const any = n > 0 ? keys.in[0] : key_type{};
    tile_type::tell_unlike(shared.tile, items.unlike(order, digits, any));
    count_type* const unlike = counts + index_t{2} * gridDim.x * digit_values;
    bool stored = false;
    bool current = true;  // what the block holds is what memory holds
    int turn = 0;         // of the counts: others may still read those of the previous pass
    for (int p = 0; p < digits.count; ++p) {
      if (p > 0 && (shared.unlike >> p & 1) == 0) continue;
      if (!current) {
        items.load(keys.out + items.first);
        items.stage(device::output_of(values), shared.value);
        current = true;
      }
      digit_place const place = digits.place[p];
      count_type* const exchange = counts + index_t{turn} * gridDim.x * digit_values;
      turn = 1 - turn;
      simt::grid_arrival arrival{};
      auto const publish = [&](unsigned total) {
        auto const digit = threadIdx.x;
        if (digit < digit_values) {
          exchange[index_t{blockIdx.x} * digit_values + digit] = static_cast<count_type>(total);
        }
        if (p == 0) {
          tile_type::set_by_last_warp(unlike[blockIdx.x],
                                      [&] { return tile_type::unlike_in_block(shared.tile); });
        }
        arrival = simt::arrive_grid();
      };
      unsigned const begin = tile_type::sort(shared.tile, order, witness, place, items, publish);
      simt::wait_grid(arrival);
      if (p == 0) tile_type::set_by_last_warp(shared.unlike, [&] { return all_of(unlike); });
      if (!find_shifts(shared, exchange, begin, n, digits.offsets)) continue;  // all keys agree
      tile_type::store_sorted(shared.tile, order, place, shared.shift, items.valid, shared.value,
                              keys.out, device::output_of(values));
      stored = true;
      current = false;
      if (p + 1 < digits.count) simt::sync_grid();
    }
    if (stored) return;
    items.store(keys.out + items.first);
    if constexpr (has_values) {
      items.each([&](int row) {
        values.out[items.first + items.in_tile(row)] = shared.value[items.in_tile(row)];
      });
    }
  }

  /// The bits that any block has published; called by a whole warp.
  static __device__ unsigned all_of(count_type const* reported) {
    unsigned bits = 0;
    for (unsigned b = threadIdx.x % simt::warp_size; b < gridDim.x; b += simt::warp_size) {
      bits |= reported[b];
    }
    return simt::reduce_or(simt::full_warp, bits);
  }

  /// Finds where the block's items of each digit go, from the counts of all blocks; false if all
  /// keys have the same digit. Ends with a barrier.
  static __device__ bool find_shifts(shared_storage& shared, count_type const* exchange,
                                     unsigned begin, unsigned n, bucket_offsets const& offsets) {
    auto const warp = threadIdx.x / simt::warp_size, lane = threadIdx.x % simt::warp_size;
    auto const group = warp / tile_type::digit_warps, block = lane / lanes_of_block;
    auto const first_digit =
        (warp % tile_type::digit_warps * lanes_of_block + lane % lanes_of_block) * digits_at_once;
    unsigned before_some[digits_at_once] = {}, all_some[digits_at_once] = {};
#pragma unroll 8
    for (unsigned b = group * blocks_of_warp + block; b < gridDim.x; b += groups * blocks_of_warp) {
      auto const counts =
          simt::load_vector<digits_at_once>(exchange + index_t{b} * digit_values + first_digit);
#pragma unroll
      for (int j = 0; j < digits_at_once; ++j) {
        all_some[j] += counts.item[j];
        if (b < blockIdx.x) before_some[j] += counts.item[j];
      }
    }
#pragma unroll
    for (int j = 0; j < digits_at_once; ++j) {
#pragma unroll
      for (int distance = lanes_of_block; distance < simt::warp_size; distance *= 2) {
        all_some[j] += simt::shfl_xor(simt::full_warp, all_some[j], distance);
        before_some[j] += simt::shfl_xor(simt::full_warp, before_some[j], distance);
      }
      if (block == 0) {
        shared.before[group][first_digit + j] = before_some[j];
        shared.all[group][first_digit + j] = all_some[j];
      }
    }
    simt::sync_block();
    auto const digit = threadIdx.x;
    unsigned before = 0, all = 0;
    if (digit < digit_values) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        before += shared.before[g][digit];
        all += shared.all[g][digit];
      }
    }
    unsigned const first = tile_type::scan_digits(shared.tile, all);
    if (blockIdx.x == 0 && digit < digit_values) offsets.store_bucket(digit, first, first + all);
    if (simt::sync_block_or(digit < digit_values && all == n)) return false;
    if (digit < digit_values) shared.shift[digit] = first + before - begin;
    simt::sync_block();
    return true;
  }
};

/// Whether the device holds n items at once, and has enough shared memory for a block's.
template <class Kernel>
bool resident_sort_suits(index_t n) {
  return n <= index_t{simt::multiprocessor_count()} * Kernel::tile_items &&
         simt::device_can_pipeline<Kernel>();
}

/// Sorts in one launch. `counts`: `resident_sort_bytes` of memory.
template <class Tuning, class Order, class Value>
void resident_sort(workspace& ws, std::byte* counts, sort_buffers<typename Order::key_type> keys,
                   sort_buffers<Value> values, item_count n, Order const& order,
                   digit_list const& digits) {
  using kernel = resident_sort_kernel<Order, Value, Tuning>;
  index_t const max_blocks = simt::multiprocessor_count();
  index_t const items = std::max<index_t>(n.at_most(), 1);
  index_t const rows =
      std::clamp<index_t>(libscan::ceil_div(items, max_blocks * Tuning::block_threads),
                          Tuning::min_rows, Tuning::items_per_thread);
  auto const blocks = static_cast<unsigned>(libscan::ceil_div(items, rows * Tuning::block_threads));
  simt::launch<kernel>(
      {.blocks = blocks, .threads = Tuning::block_threads, .on = ws.stream(), .cooperative = true},
      n, static_cast<int>(rows), order, device::keys_are_witness(order), keys, values, digits,
      reinterpret_cast<typename kernel::count_type*>(counts));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
