// SPDX-License-Identifier: Apache-2.0
// What the roles of a staged pass share: its sizes, its shared memory, and the barriers that order
// them.
#pragma once

#include <algorithm>
#include <type_traits>

#include <apps/radix_sort/device/digit_pass.cuh>
#include <apps/radix_sort/device/sorted_tile.cuh>
#include <libscan/device/staged_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sizes and memory of a staged pass.
template <class Order, class Value, tile_witness Witness, class Tuning>
struct staged_pass_shape {
  using order_type = Order;
  using tuning = Tuning;
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<has_values, Value, char>;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int rank_warps = Tuning::rank_warps;
  static constexpr int write_warps = Tuning::write_warps;
  static constexpr int look_back_warps = Tuning::look_back_warps;
  static constexpr int check_warps = Tuning::check_warps;
  static constexpr int first_write_warp = rank_warps;
  static constexpr int first_look_back_warp = first_write_warp + write_warps;
  static constexpr int first_check_warp = first_look_back_warp + look_back_warps;
  static constexpr int block_threads = (first_check_warp + check_warps) * simt::warp_size;
  static constexpr int warp_items = simt::warp_size * items_per_thread;
  static constexpr int tile_items = rank_warps * warp_items;
  static constexpr index_t portion_items = Tuning::portion_tiles * tile_items;
  static constexpr int digit_warps = digit_values / simt::warp_size;
  static constexpr int lane_digits = digit_warps / look_back_warps;
  static constexpr int rows_at_once = Tuning::rows_at_once;
  // Runs are written in pairs; the last of a pair may be empty.
  static constexpr int begins = digit_values + write_warps + 1;
  // Longer runs are shared by all the warps that write.
  static constexpr int long_run = Tuning::long_run;
  // Rows of 32 items that an average run touches, as lines of memory are written whole. For keys
  // without values, 4 rows were never slower.
  template <class T>
  static constexpr int run_rows =
      !has_values ? 4 : std::clamp((tile_items / digit_values + line_items<T> + 30) / 32, 1, 4);
  // Of the 64 that each of 1024 threads has at first.
  static constexpr bool moves_registers = block_threads == 1024 && rank_warps == 16;
  static constexpr int rank_registers = 88;
  static constexpr int other_registers = 40;
  static_assert(rank_warps >= digit_warps && digit_warps % look_back_warps == 0);
  static_assert(items_per_thread % rows_at_once == 0 && rows_at_once % 2 == 0 &&
                portion_items < index_t{1} << 30);
  static_assert(!has_values || Witness == tile_witness::positions);
  static_assert(Order::words == 1);
  using tile_type = sorted_tile<Order, Value, Witness, tile_items>;

  /// Reads the pass's digit of keys.
  struct digit_reader {
    Order order;
    digit_place place;
    __device__ __forceinline__ unsigned operator()(key_type const& key) const {
      return place.digit(order, key);
    }
  };

  /// The data of all roles.
  struct work_type {
    index_t n;
    index_t first;  // item of the portion
    int tiles;      // of the portion
    Order order;
    pass_launch pass;
    key_type const* keys_in;
    key_type* keys_out;
    value_type const* values_in;  // null: values are positions
    value_type* values_out;
    digit_table table;
    unsigned long long const* begins;
    unsigned long long* next_begins;

    __device__ index_t base(int tile) const { return first + index_t{tile} * tile_items; }
    __device__ int valid(int tile) const { return device::valid_items<tile_items>(n, base(tile)); }
    __device__ digit_reader digits() const { return {order, pass.place}; }
  };

  /// Of a block.
  struct shared_storage {
    staged_tile<key_type, tile_items> keys;
    staged_tile<value_type, has_values ? tile_items : 1> values;
    tile_type sorted;
    alignas(128) unsigned count[rank_warps][digit_values];   // then where the next of each goes
    unsigned begin[2][begins];                               // of the digits' runs; then ends
    index_t shift[2][begins];                                // from there to their place in memory
    unsigned long_runs[2];                                   // how many long runs there are,
    unsigned char long_run_digit[2][tile_items / long_run];  // their digits,
    unsigned long_items[2];                                  // and the number of their items
    unsigned warp_total[digit_warps];
    bool in_order[check_warps];   // as each has found
    work_type work;               // here, since registers are scarce
    simt::mbarrier keys_full;     // the stage holds the tile's keys
    simt::mbarrier values_full;   // the same for values, without those that copies omit
    simt::mbarrier values_ready;  // and with those
    simt::mbarrier ranks;         // the ranking warps meet
    simt::mbarrier counted[2];    // `begin` is known
    simt::mbarrier placed[2];     // `shift` is known
    simt::mbarrier sorted_full;   // the tile is sorted
    simt::mbarrier checked;       // and has been checked
    simt::mbarrier written;       // and written
    simt::mbarrier sorted_free;   // and both roles have finished with it
  };

  /// Arriving warps arrive with each lane. By one thread.
  static __device__ void init_barriers(shared_storage& shared) {
    constexpr int lanes = simt::warp_size;
    shared.keys_full.init(1);
    shared.values_full.init(1);
    shared.values_ready.init(lanes);
    shared.ranks.init(rank_warps * lanes);
    for (auto& counted : shared.counted) counted.init(digit_warps * lanes);
    for (auto& placed : shared.placed) placed.init(look_back_warps * lanes);
    shared.sorted_full.init(rank_warps * lanes);
    shared.checked.init(check_warps * lanes);
    shared.written.init(write_warps * lanes);
    shared.sorted_free.init((write_warps + check_warps) * lanes);
    simt::fence_mbarrier_init();
  }

  /// Starts the copy of a tile's keys. By one thread.
  static __device__ void fetch_keys(shared_storage& shared, work_type const& work, int tile) {
    shared.keys.fetch(work.keys_in + work.base(tile), work.valid(tile), shared.keys_full);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
