// SPDX-License-Identifier: Apache-2.0
// A tile that has been sorted by one digit in shared memory: how it is checked, repaired, and
// written, each digit's run by one warp and in whole lines.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/device/sort_plan.cuh>
#include <libscan/tuning/radix_sort.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
