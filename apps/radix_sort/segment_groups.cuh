// SPDX-License-Identifier: Apache-2.0
// The sort of short segments: a block takes all that begin within a stretch of the items and sorts
// them together in shared memory, tiny ones by counting, others digit by digit and then by segment.
#pragma once

#include <cstdint>
#include <vector>

#include <apps/radix_sort/sort_plan.cuh>
#include <apps/radix_sort/warp_match.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Segments of items: number s is [offsets[s], offsets[s + 1]), for s < count.
template <class Offset>
struct segment_list {
  Offset const* offsets;
  index_t count;

  __device__ index_t begin(index_t s) const { return static_cast<index_t>(offsets[s]); }
  __device__ index_t end(index_t s) const { return static_cast<index_t>(offsets[s + 1]); }
  __device__ index_t length(index_t s) const { return end(s) - begin(s); }

  /// The first of segments [low, high) that begins at `item` or behind it; `high` if none does.
  __device__ index_t first_from(index_t item, index_t low, index_t high) const {
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      if (begin(middle) < item) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// The digits of a sort, in order.
struct segment_digits {
  static constexpr int most = 32;
  int count;
  digit_place place[most];
};

/// Sorts all segments of at most `stretch_items`. Those that begin in one stretch of so many items
/// make a group, which fits the block's memory.
template <class Order, class Value, class Offset, class Tuning>
struct segment_groups_kernel {
  using key_type = typename Order::key_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int stretch_items = Tuning::stretch_items;
  static constexpr int most_items = 2 * stretch_items;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int rows = most_items / block_threads;
  static constexpr int warp_items = rows * simt::warp_size;
  static constexpr int tiny_items = 32;
  static_assert(block_threads % digit_values == 0 && most_items % block_threads == 0);
  static_assert(most_items <= 1 << 16, "places in a group take 16 bits");

  struct shared_storage {
    key_type key[most_items];
    std::uint16_t segment_begin[most_items];  // of the item's segment, within the group
    std::uint16_t item[most_items];           // in the order sorted so far
    union {
      std::uint16_t segment_last[most_items];  // item, if the segments are tiny
      unsigned count[warps][digit_values];     // else
    };
    block::scan_storage<unsigned, block_threads> scan;
    index_t first;
    int items;
  };

  __device__ void operator()(shared_storage& shared, segment_list<Offset> segments, index_t n,
                             Order order, sort_buffers<key_type> keys, sort_buffers<Value> values,
                             segment_digits digits) const {
    static_assert(sizeof(key_type) > 8 || sizeof(shared_storage) <= 64 * 1024, "for every GPU");
    index_t const stretches = ceil_div(n, index_t{stretch_items});
    for (index_t stretch = blockIdx.x; stretch < stretches; stretch += gridDim.x) {
      index_t const from = segments.first_from(stretch * stretch_items, 0, segments.count);
      index_t const to = segments.first_from((stretch + 1) * stretch_items, from, segments.count);
      if (from == to) continue;
      // Only the last can be long, since the next stretch begins within it.
      index_t const last = segments.length(to - 1) > stretch_items ? to - 1 : to;
      index_t const first = segments.begin(from);
      auto const items = static_cast<int>(segments.begin(last) - first);
      if (items == 0) continue;
      if (load(shared, segments, from, last, first, items, keys.in)) {
        sort_by_digits(shared, order, digits, items);
      } else {
        sort_by_counting(shared, order, items);
      }
      simt::sync_block();
      store(shared, items, keys.out + first);
      if constexpr (has_values) move_values(shared, first, items, values);
      simt::sync_block();
    }
  }

 private:
  static __device__ int thread() { return static_cast<int>(threadIdx.x); }

  /// Loads the keys and finds where the segment of each begins and ends; whether any has more than
  /// `tiny_items`. Ends with a barrier.
  static __device__ bool load(shared_storage& shared, segment_list<Offset> const& segments,
                              index_t from, index_t last, index_t first, int items,
                              key_type const* in) {
    bool any_longer = false;
    for (int i = thread(); i < items; i += block_threads) {
      index_t const segment = segments.first_from(first + i + 1, from, last) - 1;
      auto const begin = static_cast<int>(segments.begin(segment) - first);
      auto const end = static_cast<int>(segments.end(segment) - first);
      shared.segment_begin[i] = static_cast<std::uint16_t>(begin);
      shared.segment_last[i] = static_cast<std::uint16_t>(end - 1);
      shared.key[i] = in[first + i];
      any_longer = any_longer || end - begin > tiny_items;
    }
    return simt::sync_block_or(any_longer);
  }

  /// An item goes behind as many of its segment as come before it.
  static __device__ void sort_by_counting(shared_storage& shared, Order const& order, int items) {
    for (int i = thread(); i < items; i += block_threads) {
      key_type const key = shared.key[i];
      int const begin = shared.segment_begin[i];
      int const last = shared.segment_last[i];
      int place = begin;
      for (int j = begin; j <= last; ++j) {
        bool const comes_before = j < i ? !order(key, shared.key[j]) : order(shared.key[j], key);
        if (comes_before) ++place;
      }
      shared.item[place] = static_cast<std::uint16_t>(i);
    }
  }

  /// Splits by every digit of the keys, and at last by where the segments begin.
  static __device__ void sort_by_digits(shared_storage& shared, Order const& order,
                                        segment_digits const& digits, int items) {
    for (int i = thread(); i < items; i += block_threads) {
      shared.item[i] = static_cast<std::uint16_t>(i);
    }
    simt::sync_block();
    for (int d = 0; d < digits.count; ++d) {
      sort_once(shared, items, [&](int i) { return digits.place[d].digit(order, shared.key[i]); });
    }
    for (int shift = 0; most_items >> shift > 1; shift += digit_bits) {
      sort_once(shared, items, [&](int i) {
        return static_cast<unsigned>(shared.segment_begin[i]) >> shift & (digit_values - 1u);
      });
    }
  }

  /// Sorts the items by digit(item), stably. Ends with a barrier.
  template <class Digit>
  static __device__ void sort_once(shared_storage& shared, int items, Digit digit) {
    int const warp = thread() / simt::warp_size;
    int const first = warp * warp_items + simt::lane_id();
    for (int i = thread(); i < warps * digit_values; i += block_threads) {
      shared.count[i / digit_values][i % digit_values] = 0;
    }
    simt::sync_block();
    unsigned item[rows] = {};
    unsigned rank[rows] = {};
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      bool const valid = first + row * simt::warp_size < items;
      unsigned value = 0;
      if (valid) {
        item[row] = shared.item[first + row * simt::warp_size];
        value = digit(static_cast<int>(item[row]));
      }
      rank[row] = rank_row<digit_bits>(shared.count[warp], value, valid);
    }
    simt::sync_block();
    unsigned total = 0;
    if (thread() < digit_values) {
      for (int w = 0; w < warps; ++w) total += shared.count[w][thread()];
    }
    unsigned next = block::exclusive_scan(shared.scan, total, plus<unsigned>{}).prefix;
    if (thread() < digit_values) {
      for (int w = 0; w < warps; ++w) {
        unsigned const own = shared.count[w][thread()];
        shared.count[w][thread()] = next;
        next += own;
      }
    }
    simt::sync_block();
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      if (first + row * simt::warp_size >= items) continue;
      unsigned const place = shared.count[warp][digit(static_cast<int>(item[row]))] + rank[row];
      shared.item[place] = static_cast<std::uint16_t>(item[row]);
    }
    simt::sync_block();
  }

  static __device__ void store(shared_storage& shared, int items, key_type* out) {
    for (int i = thread(); i < items; i += block_threads) out[i] = shared.key[shared.item[i]];
  }

  /// Through registers, so that they may stay in their buffer.
  static __device__ void move_values(shared_storage& shared, index_t first, int items,
                                     sort_buffers<Value> const& values) {
    Value value[rows] = {};
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      int const i = k * block_threads + thread();
      if (i < items) value[k] = values.in[first + shared.item[i]];
    }
    simt::sync_block();
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      int const i = k * block_threads + thread();
      if (i < items) values.out[first + i] = value[k];
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
