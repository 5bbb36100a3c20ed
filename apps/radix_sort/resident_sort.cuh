// SPDX-License-Identifier: Apache-2.0
// The sort of as many items as all multiprocessors hold at once: one launch makes all passes, and
// the blocks meet at barriers of the grid. Every item is on chip when its place becomes free, so
// that the output alone is enough. The quickest way for small n.
#pragma once

#include <algorithm>
#include <vector>

#include <apps/radix_sort/sort_plan.cuh>
#include <apps/radix_sort/tuning.hpp>
#include <apps/radix_sort/warp_match.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Digits of a sort in one launch, and whom to tell where the items of each value of one begin.
struct resident_places {
  static constexpr int most = 16;
  int count;
  digit_place place[most];
  bucket_offsets offsets;
};

/// The resident sort: one tile a block, of `rows` rows for each warp.
template <class Order, class Value, class Tuning>
struct resident_sort_kernel {
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<has_values, Value, char>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int tile_items = block_threads * items_per_thread;
  static constexpr int rows_at_once = 4;    // that are under way together
  static constexpr int digits_at_once = 4;  // that a thread reads of a block's counts
  static constexpr int group_threads = digit_values / digits_at_once;
  static constexpr int groups = block_threads / group_threads;
  static_assert(block_threads >= digit_values && block_threads % group_threads == 0);

  struct shared_storage {
    key_type key[tile_items];
    value_type value[has_values ? tile_items : 1];
    unsigned count[warps][digit_values];  // then where each warp's items of a digit go
    unsigned before[groups][digit_values];
    unsigned all[groups][digit_values];
    unsigned shift[digit_values];  // modulo 2^32, from there to where they go in memory
    block::scan_storage<unsigned, block_threads> scan;
  };

  /// `witness`: whether keys show that a tile was sorted stably.
  __device__ void operator()(shared_storage& shared, item_count length, int rows, Order order,
                             bool witness, sort_buffers<key_type> keys, sort_buffers<Value> values,
                             resident_places places, unsigned* counts) const {
    auto const n = static_cast<unsigned>(length.get());
    lane_items items(n, rows);
    items.load(keys.in, items.key);
    if constexpr (has_values) items.load(values.in, items.value);
    bool stored = false;
    bool current = true;  // what the threads hold is what memory holds
    for (int p = 0; p < places.count; ++p) {
      if (!current) {
        items.load(keys.out, items.key);
        if constexpr (has_values) items.load(values.out, items.value);
        current = true;
      }
      unsigned* const exchange = counts + index_t{p % 2} * gridDim.x * digit_values;
      unsigned const begin = sort_tile(shared, order, witness, places.place[p], items, exchange);
      sync_blocks();
      if (!find_shifts(shared, exchange, begin, n, places.offsets)) continue;  // all keys agree
      store_sorted(shared, order, places.place[p], items.valid, keys.out, values);
      stored = true;
      current = false;
      if (p + 1 < places.count) sync_blocks();
    }
    if (stored) return;
    items.store(items.key, keys.out);
    if constexpr (has_values) items.store(items.value, values.out);
  }

 private:
  /// A barrier of all blocks, of which there may be one.
  static __device__ void sync_blocks() { gridDim.x == 1 ? simt::sync_block() : simt::sync_grid(); }

  /// The part of a tile that a lane holds: one item of each of its warp's rows.
  struct lane_items {
    unsigned first;  // of the tile
    unsigned valid;  // of the tile's
    int rows;
    key_type key[items_per_thread] = {};
    value_type value[has_values ? items_per_thread : 1] = {};

    __device__ lane_items(unsigned n, int rows_of_warp) : rows(rows_of_warp) {
      unsigned const tile = static_cast<unsigned>(rows) * block_threads;
      first = blockIdx.x * tile;
      valid = first >= n ? 0 : n - first < tile ? n - first : tile;
    }

    __device__ unsigned in_tile(int row) const {
      auto const warp = threadIdx.x / simt::warp_size;
      return (warp * static_cast<unsigned>(rows) + static_cast<unsigned>(row)) * simt::warp_size +
             threadIdx.x % simt::warp_size;
    }
    __device__ bool has(int row) const { return row < rows && in_tile(row) < valid; }

    /// use(row) for each in which the caller has an item.
    template <class Use>
    __device__ __forceinline__ void each(Use use) const {
#pragma unroll
      for (int row = 0; row < items_per_thread; ++row) {
        // Now and then, so that a block with few rows need not wait for the code of the others.
        if (row % rows_at_once == 0 && row >= rows) break;
        if (has(row)) use(row);
      }
    }

    /// item[row] = in[position], or the position itself if `in` is null.
    template <class T, int Items>
    __device__ void load(T const* in, T (&item)[Items]) const {
      if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
        if (in == nullptr) {
          return each([&](int row) { item[row] = static_cast<T>(first + in_tile(row)); });
        }
      }
      each([&](int row) { item[row] = in[first + in_tile(row)]; });
    }

    /// out[position] = item[row].
    template <class T, int Items>
    __device__ void store(T const (&item)[Items], T* out) const {
      each([&](int row) { out[first + in_tile(row)] = item[row]; });
    }
  };

  /// Sorts the tile by one digit in shared memory; tells the other blocks its counts. Returns where
  /// the items of the caller's digit begin in the tile. Counters are quicker than ballots, but if
  /// the keys show that their order was not that of the lanes, ballots it is.
  static __device__ unsigned sort_tile(shared_storage& shared, Order const& order, bool witness,
                                       digit_place place, lane_items const& items,
                                       unsigned* exchange) {
    if constexpr (equal_is_identical<Order> && !has_values) {
      if (witness) {
        unsigned const begin = place_items<true>(shared, order, place, items, exchange);
        if (ascends(shared, order, place, items.valid)) return begin;
      }
    }
    return place_items<false>(shared, order, place, items, exchange);
  }

  /// Whether the tile's keys ascend as far as they have been sorted. Begins and ends with a
  /// barrier.
  static __device__ bool ascends(shared_storage& shared, Order const& order, digit_place place,
                                 unsigned valid) {
    simt::sync_block();
    bool good = true;
    for (unsigned i = threadIdx.x; i + 1 < valid; i += block_threads) {
      good &=
          sorted_bits(order, place, shared.key[i]) <= sorted_bits(order, place, shared.key[i + 1]);
    }
    return !simt::sync_block_or(!good);
  }

  /// `sort_tile` by counters, or by ballots.
  template <bool ByCounters>
  static __device__ unsigned place_items(shared_storage& shared, Order const& order,
                                         digit_place place, lane_items const& items,
                                         unsigned* exchange) {
    auto const thread = threadIdx.x;
    auto const warp = thread / simt::warp_size;
    for (unsigned i = thread; i < warps * digit_values; i += block_threads) {
      shared.count[i / digit_values][i % digit_values] = 0;
    }
    simt::sync_block();
    unsigned rank[items_per_thread] = {};
#pragma unroll
    for (int row = 0; row < items_per_thread; ++row) {
      if (row >= items.rows) break;
      bool const valid = items.has(row);
      unsigned const digit = valid ? place.digit(order, items.key[row]) : 0;
      if constexpr (ByCounters) {
        rank[row] = take_place<Tuning::ranks>(shared.count[warp], digit, valid);
      } else {
        rank[row] = rank_row<digit_bits>(shared.count[warp], digit, valid);
      }
    }
    simt::sync_block();
    unsigned total = 0;
    if (thread < digit_values) {
#pragma unroll 8
      for (int w = 0; w < warps; ++w) total += shared.count[w][thread];
      exchange[index_t{blockIdx.x} * digit_values + thread] = total;
    }
    unsigned const begin = block::exclusive_scan(shared.scan, total, plus<unsigned>{}).prefix;
    if (thread < digit_values) {
      unsigned next = begin;
#pragma unroll 8
      for (int w = 0; w < warps; ++w) {
        unsigned const own = shared.count[w][thread];
        shared.count[w][thread] = next;
        next += own;
      }
    }
    simt::sync_block();
    items.each([&](int row) {
      unsigned const digit = place.digit(order, items.key[row]);
      unsigned const at = shared.count[warp][digit] + rank[row];
      shared.key[at] = items.key[row];
      if constexpr (has_values) shared.value[at] = items.value[row];
    });
    return begin;
  }

  /// Where the block's items of each digit go, from the counts of all blocks; false if all keys
  /// have the same digit. Ends with a barrier.
  static __device__ bool find_shifts(shared_storage& shared, unsigned const* exchange,
                                     unsigned begin, unsigned n, bucket_offsets const& offsets) {
    auto const group = threadIdx.x / group_threads;
    auto const quad = threadIdx.x % group_threads * digits_at_once;
    simt::vector<unsigned, digits_at_once> before_four{}, all_four{};
#pragma unroll 8
    for (unsigned b = group; b < gridDim.x; b += groups) {
      auto const counts =
          simt::load_vector<digits_at_once>(exchange + index_t{b} * digit_values + quad);
#pragma unroll
      for (int j = 0; j < digits_at_once; ++j) {
        all_four.item[j] += counts.item[j];
        if (b < blockIdx.x) before_four.item[j] += counts.item[j];
      }
    }
#pragma unroll
    for (int j = 0; j < digits_at_once; ++j) {
      shared.before[group][quad + j] = before_four.item[j];
      shared.all[group][quad + j] = all_four.item[j];
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
    unsigned const first = block::exclusive_scan(shared.scan, all, plus<unsigned>{}).prefix;
    if (blockIdx.x == 0 && digit == 0) offsets.store(0, 0);
    if (blockIdx.x == 0 && digit < digit_values) offsets.store_end(digit, first + all);
    if (simt::sync_block_or(digit < digit_values && all == n)) return false;
    if (digit < digit_values) shared.shift[digit] = first + before - begin;
    simt::sync_block();
    return true;
  }

  static __device__ void store_sorted(shared_storage& shared, Order const& order, digit_place place,
                                      unsigned valid, key_type* out,
                                      sort_buffers<Value> const& values) {
    for (unsigned i = threadIdx.x; i < valid; i += block_threads) {
      key_type const key = shared.key[i];
      unsigned const target = shared.shift[place.digit(order, key)] + i;
      out[target] = key;
      if constexpr (has_values) values.out[target] = shared.value[i];
    }
  }
};

/// Whether the device holds n items at once, and is one that has room for a block's.
template <class Kernel>
bool resident_sort_suits(index_t n, std::size_t passes) {
  return n <= index_t{simt::multiprocessor_count()} * Kernel::tile_items &&
         passes <= resident_places::most && simt::device_can_pipeline<Kernel>();
}

/// Sorts in one launch. `counts`: as `resident_sort_bytes` says.
template <class Tuning, class Order, class Value>
void resident_sort(workspace& ws, unsigned* counts, sort_buffers<typename Order::key_type> keys,
                   sort_buffers<Value> values, item_count n, Order const& order,
                   std::vector<digit_place> const& places, bucket_offsets offsets) {
  using kernel = resident_sort_kernel<Order, Value, Tuning>;
  index_t const most = simt::multiprocessor_count();
  // A block alone waits for nobody; many have little to do each.
  index_t const items = std::max<index_t>(n.at_most(), 1);
  index_t rows = ceil_div(items, index_t{Tuning::block_threads});
  if (rows > Tuning::most_rows_alone) rows = ceil_div(rows, most);
  rows = std::clamp<index_t>(rows, 1, Tuning::items_per_thread);
  auto const blocks = static_cast<unsigned>(ceil_div(items, rows * Tuning::block_threads));
  resident_places digits{.count = 0, .place = {}, .offsets = offsets};
  for (digit_place const place : places) digits.place[digits.count++] = place;
  simt::launch<kernel>({.blocks = blocks,
                        .threads = Tuning::block_threads,
                        .on = ws.stream(),
                        .cooperative = blocks > 1},
                       n, static_cast<int>(rows), order, keys_are_witness(order), keys, values,
                       digits, counts);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
