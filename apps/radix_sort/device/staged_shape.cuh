// SPDX-License-Identifier: Apache-2.0
// What the roles of a staged pass share: its sizes, its shared memory, and the barriers that order
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/device/digit_pass.cuh>
#include <apps/radix_sort/device/sort_plan.cuh>
#include <libscan/device/staged_tile.cuh>
#include <libscan/tuning/radix_sort.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

// A tile that has been sorted by one digit in shared memory: how it is checked, repaired, and
// written, each digit's run by one warp and in whole lines.

/// A tile of `Items` items, sorted by one digit.
template <class Order, class Value, tile_witness Witness, int Items>
struct sorted_tile {
  using key_type = typename Order::key_type;
  using position_type = std::uint16_t;
  static constexpr bool has_positions = Witness == tile_witness::positions;
  static_assert(Items <= 1 << 16);

  alignas(128) key_type key[Items];
  alignas(128) position_type position[has_positions ? Items : 1];

  __device__ void put(unsigned at, key_type const& sorted, int from) {
    key[at] = sorted;
    if constexpr (has_positions) position[at] = static_cast<position_type>(from);
  }

  /// A value that ascends from item to item of a tile that is sorted stably.
  static __device__ __forceinline__ auto witness(Order const& order, digit_place const& place,
                                                 key_type const& key, position_type position) {
    if constexpr (has_positions) {
      return place.digit(order, key) << 16 | position;
    } else {
      return device::sorted_bits(order, place, key);
    }
  }
  __device__ __forceinline__ auto witness(Order const& order, digit_place const& place,
                                          int i) const {
    return witness(order, place, key[i], has_positions ? position[i] : position_type{0});
  }

  /// Whether items first ... end and the next one ascend, within the tile's `valid` items. `first`
  /// is a multiple of 16. By one warp.
  __device__ bool ascends(Order const& order, digit_place const& place, int first, int end,
                          int valid) const {
    bool good = true;
    if (end > valid - 1) end = valid - 1;
    if constexpr (rows * row_items < Items) {
      for (; first + rows * row_items <= end; first += rows * row_items) {
        good &= rows_ascend(order, place, first);
      }
    }
    for (int i = first + simt::lane_id(); i < end; i += simt::warp_size) {
      good &= witness(order, place, i) <= witness(order, place, i + 1);
    }
    return simt::all(simt::full_warp, good);
  }

  /// Puts the tile in order, whatever its order is: neighbors trade places until all ascend. By one
  /// warp.
  __device__ void repair(Order const& order, digit_place const& place, int valid) {
    for (bool traded = true; traded;) {
      traded = false;
      for (int parity = 0; parity < 2; ++parity) {
        for (int i = 2 * simt::lane_id() + parity; i + 1 < valid; i += 2 * simt::warp_size) {
          if (witness(order, place, i) <= witness(order, place, i + 1)) continue;
          trade(key[i], key[i + 1]);
          if constexpr (has_positions) trade(position[i], position[i + 1]);
          traded = true;
        }
        simt::sync_warp();
      }
      traded = simt::any(simt::full_warp, traded);
    }
  }

 private:
  // A lane takes 16 bytes of a row.
  static constexpr int width = sizeof(key_type) < 16 ? static_cast<int>(16 / sizeof(key_type)) : 1;
  static constexpr int row_items = width * simt::warp_size;
  static constexpr int rows = 4;

  /// Whether each of the caller's items in a few rows comes before the next item of the tile, or is
  /// equal.
  __device__ __forceinline__ bool rows_ascend(Order const& order, digit_place const& place,
                                              int first) const {
    int const lane = simt::lane_id();
    simt::vector<key_type, width> keys[rows];
    simt::vector<position_type, width> positions[rows] = {};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      int const i = first + r * row_items + lane * width;
      keys[r] = simt::load_vector<width>(key + i);
      if constexpr (has_positions) positions[r] = simt::load_vector<width>(position + i);
    }
    bool good = true;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto here = witness(order, place, keys[r].item[0], positions[r].item[0]);
#pragma unroll
      for (int j = 1; j < width; ++j) {
        auto const then = witness(order, place, keys[r].item[j], positions[r].item[j]);
        good &= here <= then;
        here = then;
      }
      good &= here <= witness(order, place, first + r * row_items + (lane + 1) * width);
    }
    return good;
  }

  template <class T>
  static __device__ void trade(T& a, T& b) {
    T const former = a;
    a = b;
    b = former;
  }
};

/// Items of a line of memory of 128 bytes.
template <class T>
inline constexpr int line_items = sizeof(T) < 128 ? static_cast<int>(128 / sizeof(T)) : 1;

/// Writes a run, target[i] = get(i) for begin <= i < end, in whole lines of 128 bytes where
/// possible. By one warp, which may have several in flight: load() and store() are for its first
/// `Rows` rows of 32 items, rest() for items after those, which few runs have.
template <class T, int Rows = 4>
class run_writer {
  // Where rest() begins the run has begun, too.
  static_assert(Rows * simt::warp_size >= line_items<T> - 1);

 public:
  __device__ run_writer(T* target, int begin, int end)
      : begin_(begin), count_(static_cast<unsigned>(end - begin)) {
    auto const address = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target + begin));
    constexpr unsigned size = sizeof(T);
    at_ = begin - static_cast<int>(address / size % line_items<T>) + simt::lane_id();
    to_ = target + at_;
  }

  template <class Get>
  __device__ void load(Get get) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (covers(r)) item_[r] = get(at_ + r * simt::warp_size);
    }
  }

  __device__ void store() const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (covers(r)) to_[r * simt::warp_size] = item_[r];
    }
  }

  template <class Get>
  __device__ void rest(Get get) const {
    int const end = begin_ + static_cast<int>(count_);
#pragma unroll 4
    for (int i = Rows * simt::warp_size; at_ + i < end; i += simt::warp_size) to_[i] = get(at_ + i);
  }

  /// The item that rest() would begin with.
  __device__ int past() const { return at_ - simt::lane_id() + Rows * simt::warp_size; }

 private:
  __device__ bool covers(int row) const {
    return static_cast<unsigned>(at_ + row * simt::warp_size - begin_) < count_;
  }

  T* to_;
  int at_;
  int begin_;
  unsigned count_;
  T item_[Rows] = {};
};

/// A whole run of any length.
template <class T, class Get>
__device__ __forceinline__ void store_run(T* target, int begin, int end, Get get) {
  while (begin < end) {
    run_writer<T> run(target, begin, end);
    run.load(get);
    run.store();
    begin = run.past();
  }
}

/// The tiles of a pass over a portion of the items of a sort.
template <int TileItems>
struct portion_tiles {
  static constexpr bool one_segment = true;

  index_t n;
  index_t first;                     // item of the portion
  unsigned long long const* begins;  // of each digit
  unsigned long long* next_begins;   // of the next portion's

  __device__ index_t base(int tile) const { return first + index_t{tile} * TileItems; }
  /// Where a tile's keys and values begin, counted from those of the pass.
  __device__ index_t key_base(int tile) const { return base(tile); }
  __device__ index_t value_base(int tile) const { return base(tile); }
  __device__ int valid(int tile) const { return device::valid_items<TileItems>(n, base(tile)); }
  /// Whether no tile before it has items that are sorted with its own.
  __device__ bool leads(int tile) const { return tile == 0; }
  /// Where the items of a digit begin, of all that are sorted with those of a tile.
  __device__ index_t begin(int /*tile*/, int digit) const {
    return static_cast<index_t>(begins[digit]);
  }
};

/// Sizes and memory of a staged pass over tiles that a `Tiles` describes.
template <class Order, class Value, tile_witness Witness, class Tuning,
          template <int> class Tiles = portion_tiles>
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
  // Moved from the 64 registers that each of 1024 threads has at first.
  static constexpr bool moves_registers = block_threads == 1024 && rank_warps == 16;
  static constexpr int rank_registers = 88;
  static constexpr int other_registers = 40;
  static_assert(rank_warps >= digit_warps && digit_warps % look_back_warps == 0);
  static_assert(items_per_thread % rows_at_once == 0 && rows_at_once % 2 == 0 &&
                portion_items < index_t{1} << 30);
  static_assert(!has_values || Witness == tile_witness::positions);
  static_assert(Order::words == 1);
  using tile_type = sorted_tile<Order, Value, Witness, tile_items>;
  using tiles_type = Tiles<tile_items>;

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
    tiles_type items;
    int tiles;  // how many
    Order order;
    digit_place place;
    key_type const* keys_in;
    key_type* keys_out;
    value_type const* values_in;  // null: values are positions
    value_type* values_out;
    digit_table table;

    __device__ key_type const* keys_of(int tile) const { return keys_in + items.key_base(tile); }
    __device__ value_type const* values_of(int tile) const {
      return values_in + items.value_base(tile);
    }
    __device__ int valid(int tile) const { return items.valid(tile); }
    __device__ digit_reader digits() const { return {order, place}; }
  };

  /// A block's memory.
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
    shared.keys.fetch(work.keys_of(tile), work.valid(tile), shared.keys_full);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
