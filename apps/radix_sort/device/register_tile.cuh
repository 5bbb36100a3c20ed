// SPDX-License-Identifier: Apache-2.0
// The tile of sorts in one launch: a block sorts the keys in its registers by one digit, stably,
// into shared memory. Values do not move: the keys' positions are sorted with the keys.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/device/sort_plan.cuh>
#include <apps/radix_sort/device/warp_match.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// What the lanes of a sort in one launch hold: the keys of a tile, in registers.

/// The part of a `register_tile` that a lane holds: one key of each of its warp's first rows.
template <class Order, class Value, class Tuning>
struct register_items {
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<has_values, Value, char>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int max_rows = Tuning::items_per_thread;

  unsigned first;  // of the tile, among all
  unsigned valid;  // of the tile
  unsigned begin;  // in the tile, of the caller's
  int rows;        // of each warp
  int own;         // of them, with a key of the caller's
  key_type key[max_rows] = {};

  /// The items of the block's tile, of n items in tiles of `rows_of_warp` rows to a warp.
  __device__ register_items(unsigned n, int rows_of_warp) : rows(rows_of_warp) {
    unsigned const tile = static_cast<unsigned>(rows) * block_threads;
    first = blockIdx.x * tile;
    valid = first >= n ? 0 : n - first < tile ? n - first : tile;
    auto const warp = threadIdx.x / simt::warp_size;
    begin = warp * static_cast<unsigned>(rows) * simt::warp_size + threadIdx.x % simt::warp_size;
    unsigned const left = begin < valid ? valid - begin : 0;
    auto const some = static_cast<int>((left + simt::warp_size - 1) / simt::warp_size);
    own = some < rows ? some : rows;
  }

  __device__ unsigned in_tile(int row) const {
    return begin + static_cast<unsigned>(row) * simt::warp_size;
  }

  /// use(row) for all rows of the warp, and a few more.
  template <class Use>
  __device__ __forceinline__ void each_row(Use use) const {
#pragma unroll
    for (int row = 0; row < max_rows; ++row) {
      // The check saves time: a block with few rows need not wait for the code of the others.
      if (row % 4 == 0 && row >= rows) break;
      use(row);
    }
  }

  /// use(row) for each row in which the caller has a key.
  template <class Use>
  __device__ __forceinline__ void each(Use use) const {
    each_row([&](int row) {
      if (row < own) use(row);
    });
  }

  /// Loads the keys of the tile.
  __device__ __forceinline__ void load(key_type const* tile) {
    each([&](int row) { key[row] = tile[in_tile(row)]; });
  }
  /// Stores them.
  __device__ __forceinline__ void store(key_type* tile) const {
    each([&](int row) { tile[in_tile(row)] = key[row]; });
  }

  /// Bit p is set if not all of the caller's keys have the same digit `digits` p as `other`.
  __device__ __forceinline__ unsigned unlike(Order const& order, digit_list const& digits,
                                             key_type const& other) const {
    using word = typename Order::word_type;
    word differing[Order::words] = {};
    each([&](int row) {
#pragma unroll
      for (int w = 0; w < Order::words; ++w) {
        auto const here = order.word(key[row], w) ^ order.word(other, w);
        differing[w] = static_cast<word>(differing[w] | here);
      }
    });
    unsigned found = 0;
    for (int p = 0; p < digits.count; ++p) {
#pragma unroll
      for (int w = 0; w < Order::words; ++w) {
        digit_place const place = digits.place[p];
        if (w == place.word && place.bits_of(differing[w]) != 0) found |= 1u << p;
      }
    }
    return found;
  }

  /// staged[i] = the tile's value i; its position among all, where values are null.
  __device__ __forceinline__ void stage(value_type const* values, value_type* staged) const {
    if constexpr (has_values && std::is_integral_v<value_type> && sizeof(value_type) >= 4) {
      if (values == nullptr) {
        return each(
            [&](int row) { staged[in_tile(row)] = static_cast<value_type>(first + in_tile(row)); });
      }
    }
    if constexpr (has_values) {
      value_type value[max_rows];
      each([&](int row) { value[row] = values[first + in_tile(row)]; });
      each([&](int row) { staged[in_tile(row)] = value[row]; });
    }
  }
};

/// A tile: each warp holds up to `items_per_thread` rows of consecutive items. Counters in shared
/// memory rank them fast. Whether counters worked in the order of the lanes is seen from the keys,
/// if keys that compare equal are identical, or otherwise from the positions. Where neither can
/// show it (integers without positions, by some of their bits), ballots rank the items.
template <class Order, class Value, class Tuning>
struct register_tile {
  using lane_items = register_items<Order, Value, Tuning>;
  using key_type = typename lane_items::key_type;
  using value_type = typename lane_items::value_type;
  using position_type = std::uint16_t;
  static constexpr bool has_values = lane_items::has_values;
  static constexpr bool has_positions = has_values || !equal_is_identical<Order>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int max_rows = Tuning::items_per_thread;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int tile_items = block_threads * max_rows;
  static constexpr int digit_warps = digit_values / simt::warp_size;
  static constexpr int shares = block_threads / digit_values;  // of the counts of a digit
  static constexpr int share_warps = warps / shares;
  static_assert(block_threads % digit_values == 0 && tile_items < 1 << 16);

  struct shared_storage {
    alignas(16) unsigned count[warps][digit_values];  // then where each warp's of a digit go
    alignas(16) unsigned warp_total[digit_warps];
    unsigned share_total[shares][digit_values];
    unsigned unlike[warps];  // see lane_items::unlike
    key_type key[tile_items];
    position_type position[has_positions ? tile_items : 1];  // where the item came from
  };

  /// Sorts the tile by one digit into the shared memory, where position[i] becomes the place of
  /// item i in the previous tile. All threads call publish(total) once; thread d of the first
  /// `digit_values` passes the number of items with digit d. Returns where the items of the
  /// caller's digit begin in the tile. `witness`: whether the keys can show that the tile was
  /// sorted stably; if not, and without positions, ballots sort it. They also sort it again if the
  /// result of the counters was not stable. Ends with a barrier.
  template <class Publish>
  static __device__ unsigned sort(shared_storage& shared, Order const& order, bool witness,
                                  digit_place place, lane_items const& items, Publish publish) {
    bool by_counters = has_positions || witness;
    for (bool again = false;; again = true) {
      unsigned const begin = sort_once(
          shared, order, by_counters, place, items, [&](int row) { return items.in_tile(row); },
          [&](unsigned total) {
            if (!again) publish(total);
          });
      if (!by_counters || ascends(shared, order, place, items.valid)) return begin;
      by_counters = false;
    }
  }

  /// Sorts it by counters, without checking the result, or by ballots. position(row): what is
  /// stored with a key.
  template <class Position, class Publish>
  static __device__ __forceinline__ unsigned sort_once(shared_storage& shared, Order const& order,
                                                       bool by_counters, digit_place place,
                                                       lane_items const& items, Position position,
                                                       Publish publish) {
    auto const thread = threadIdx.x;
    // Otherwise the compiler might keep all digits for another attempt, in registers that it does
    // not have.
    place.shift = simt::opaque(place.shift);
    unsigned* const counts = shared.count[thread / simt::warp_size];
    clear_own(counts);
    unsigned rank[max_rows] = {};
    auto const rank_by = [&](auto take) {
      items.each_row([&](int row) {
        if (row >= items.rows) return;
        bool const valid = row < items.own;
        rank[row] = take(valid ? place.digit(order, items.key[row]) : 0, valid);
      });
    };
    if (by_counters) {
      rank_by([&](unsigned digit, bool valid) {
        return device::take_place<Tuning::ranks>(counts, digit, valid);
      });
    } else {
      rank_by(
          [&](unsigned digit, bool valid) { return rank_row<digit_bits>(counts, digit, valid); });
    }
    simt::sync_block();
    // A thread adds up the counts of some warps, so that all threads take part.
    auto const digit = thread % digit_values, share = thread / digit_values;
    auto* const column = &shared.count[share * share_warps][digit];
    unsigned of_share = 0;
#pragma unroll
    for (int w = 0; w < share_warps; ++w) of_share += column[w * digit_values];
    shared.share_total[share][digit] = of_share;
    simt::sync_block();
    unsigned total = 0, before = 0;
#pragma unroll
    for (unsigned s = 0; s < shares; ++s) {
      unsigned const some = shared.share_total[s][digit];
      total += some;
      if (s < share) before += some;
    }
    publish(total);
    unsigned const begin = scan_digits(shared, total);
    unsigned next = begin + before;
#pragma unroll
    for (int w = 0; w < share_warps; ++w) {
      unsigned const own = column[w * digit_values];
      column[w * digit_values] = next;
      next += own;
    }
    simt::sync_block();
    items.each([&](int row) { rank[row] += counts[place.digit(order, items.key[row])]; });
    items.each([&](int row) {
      shared.key[rank[row]] = items.key[row];
      if constexpr (has_positions) {
        shared.position[rank[row]] = static_cast<position_type>(position(row));
      }
    });
    simt::sync_block();
    return begin;
  }

  /// Stores the digits in which the caller's keys differ, for the block to read after a barrier.
  static __device__ void tell_unlike(shared_storage& shared, unsigned mine) {
    unsigned const of_warp = simt::reduce_or(simt::full_warp, mine);
    if (simt::lane_id() == 0) shared.unlike[threadIdx.x / simt::warp_size] = of_warp;
  }
  /// The digits in which keys of the block differ; called by a whole warp.
  static __device__ unsigned unlike_in_block(shared_storage const& shared) {
    int const warp = simt::lane_id();
    return simt::reduce_or(simt::full_warp, warp < warps ? shared.unlike[warp] : 0);
  }

  /// One lane of the last warp sets `to` to what `of` returns in all its lanes.
  template <class T, class Of>
  static __device__ void set_by_last_warp(T& to, Of of) {
    if (threadIdx.x / simt::warp_size != warps - 1) return;
    unsigned const x = of();
    if (simt::lane_id() == 0) to = static_cast<T>(x);
  }

  /// The sum of x of all digits below the caller's, which is thread % digit_values. Only the x of
  /// the first `digit_values` threads is used; threads with the same digit must pass the same x.
  /// Ends without a barrier: one must come before the next call.
  static __device__ __forceinline__ unsigned scan_digits(shared_storage& shared, unsigned x) {
    int const warp = static_cast<int>(threadIdx.x % digit_values) / simt::warp_size;
    unsigned const in_warp = warp::inclusive_scan(x, plus<unsigned>{}).prefix;
    if (threadIdx.x < digit_values && simt::lane_id() == simt::warp_size - 1) {
      shared.warp_total[warp] = in_warp;
    }
    simt::sync_block();
    unsigned before = in_warp - x;
#pragma unroll
    for (int w = 0; w < digit_warps; w += 4) {
      auto const totals = simt::load_vector<4>(shared.warp_total + w);
#pragma unroll
      for (int j = 0; j < 4; ++j) before += w + j < warp ? totals.item[j] : 0;
    }
    return before;
  }

  /// Whether a tile that has been sorted by all digits, with the original positions of its items,
  /// is in order. Ends with a barrier.
  static __device__ bool in_order(shared_storage const& shared, Order const& order,
                                  unsigned valid) {
    return each_pair_is_good(valid, [&](unsigned i, unsigned next) {
      if (order(shared.key[next], shared.key[i])) return false;
      if constexpr (has_positions) {
        return shared.position[i] < shared.position[next] || order(shared.key[i], shared.key[next]);
      } else {
        return true;
      }
    });
  }

  /// put(target, i) for each item i of the sorted tile, whose place among all items is `target`;
  /// `shift` is the distance of each digit, modulo 2^32.
  template <class Put>
  static __device__ __forceinline__ void each_sorted(shared_storage const& shared,
                                                     Order const& order, digit_place place,
                                                     unsigned const (&shift)[digit_values],
                                                     unsigned valid, Put put) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < valid; i += block_threads) {
      put(shift[place.digit(order, shared.key[i])] + i, i);
    }
  }

  /// Stores the sorted tile, and its values from where they were staged before.
  static __device__ void store_sorted(shared_storage const& shared, Order const& order,
                                      digit_place place, unsigned const (&shift)[digit_values],
                                      unsigned valid, value_type const* staged, key_type* keys,
                                      value_type* values) {
    each_sorted(shared, order, place, shift, valid, [&](unsigned target, unsigned i) {
      keys[target] = shared.key[i];
      if constexpr (has_values) values[target] = staged[shared.position[i]];
    });
  }

 private:
  /// Clears the counts of the caller's warp; no other warp has read them since the last barrier.
  static __device__ void clear_own(unsigned* counts) {
    simt::sync_warp();
#pragma unroll
    for (int d = 4 * simt::lane_id(); d < digit_values; d += 4 * simt::warp_size) {
      simt::store_shared_vector(counts + d, simt::vector<unsigned, 4>{});
    }
    simt::sync_warp();
  }

  /// Whether the tile has been sorted stably by one digit: the bits of keys sorted so far ascend,
  /// or positions within a digit do. Ends with a barrier.
  static __device__ bool ascends(shared_storage const& shared, Order const& order,
                                 digit_place place, unsigned valid) {
    return each_pair_is_good(valid, [&](unsigned i, unsigned next) {
      if constexpr (has_positions) {
        auto const witness = [&](unsigned j) {
          return place.digit(order, shared.key[j]) << 16 | shared.position[j];
        };
        return witness(i) < witness(next);
      } else {
        return device::sorted_bits(order, place, shared.key[i]) <=
               device::sorted_bits(order, place, shared.key[next]);
      }
    });
  }

  /// Whether good(i, i + 1) holds for all items but the last. Ends with a barrier.
  template <class Good>
  static __device__ __forceinline__ bool each_pair_is_good(unsigned valid, Good good) {
    bool bad = false;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i + 1 < valid; i += block_threads) bad |= !good(i, i + 1);
    return !simt::sync_block_or(bad);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
