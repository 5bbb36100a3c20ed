// SPDX-License-Identifier: Apache-2.0
// The sort of short segments: a block takes all that begin within a stretch of the items and sorts
// them together in shared memory, tiny ones by counting, others digit by digit and then by segment.
#pragma once

#include <cstdint>
#include <vector>

#include <apps/radix_sort/segment_list.cuh>
#include <apps/radix_sort/sort_plan.cuh>
#include <apps/radix_sort/warp_match.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
  static constexpr int resident_blocks = 4;  // of a multiprocessor
  static constexpr int stretch_items = Tuning::stretch_items;
  static constexpr int most_items = 2 * stretch_items;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int rows = most_items / block_threads;
  static constexpr int warp_items = rows * simt::warp_size;
  static constexpr int tiny_items = 32;
  static constexpr int at_once = sizeof(key_type) <= 8 ? 4 : 2;  // that a thread reads
  static_assert(block_threads % digit_values == 0 && most_items % block_threads == 0);
  static_assert(most_items < 1 << 16, "places in a group take 16 bits");

  struct shared_storage {
    key_type key[most_items];
    std::uint16_t segment[most_items];  // of each item: where it begins in the group, or its number
    std::uint16_t item[most_items];     // in the order sorted so far
    union {
      std::uint16_t segment_end[most_items];  // of that which begins with the item, or 0
      unsigned count[warps][digit_values];
    };
    block::scan_storage<unsigned, block_threads> scan;
    int found[warps];   // segments that begin in each warp's part
    int latest[warps];  // and the last beginning
  };

  __device__ void operator()(shared_storage& shared, segment_list<Offset> segments, index_t n,
                             Order order, sort_buffers<key_type> keys, sort_buffers<Value> values,
                             segment_digits digits) const {
    static_assert(sizeof(key_type) > 8 || sizeof(shared_storage) <= 64 * 1024, "for every GPU");
    // A block takes a few stretches in a row: where one's segments end the next one's begin.
    index_t const stretches = ceil_div(n, index_t{stretch_items});
    index_t const share = ceil_div(stretches, index_t{gridDim.x} * 4);
    index_t const in_a_row = share < 16 ? share : 16;
    for (index_t row = blockIdx.x; row * in_a_row < stretches; row += gridDim.x) {
      index_t const end = (row + 1) * in_a_row < stretches ? (row + 1) * in_a_row : stretches;
      index_t from =
          first_from<block_threads>(segments, row * in_a_row * stretch_items, 0, segments.count);
      for (index_t stretch = row * in_a_row; stretch < end; ++stretch) {
        index_t const to =
            first_near<block_threads>(segments, (stretch + 1) * stretch_items, from, stretch_items);
        if (from < to) sort_group(shared, segments, from, to, order, keys, values, digits);
        from = to;
      }
    }
  }

 private:
  static __device__ int thread() { return static_cast<int>(threadIdx.x); }

  /// Sorts segments [from, to), which begin in one stretch; but the last, if it is a long one.
  static __device__ void sort_group(shared_storage& shared, segment_list<Offset> const& segments,
                                    index_t from, index_t to, Order const& order,
                                    sort_buffers<key_type> const& keys,
                                    sort_buffers<Value> const& values,
                                    segment_digits const& digits) {
    index_t const last = segments.length(to - 1) > stretch_items ? to - 1 : to;
    index_t const first = segments.begin(from);
    auto const items = static_cast<int>(segments.begin(last) - first);
    if (items == 0) return;
    bool const any_longer = load(shared, segments, from, last, first, items, keys.in);
    int const found = find_segments(shared, items, any_longer);
    if (any_longer) {
      sort_by_digits(shared, order, digits, items, found);
      store(shared, first, items, keys, values);
    } else {
      sort_by_counting(shared, order, first, items, keys, values);
    }
    simt::sync_block();
  }

  /// Loads the keys, and marks the first item of each segment with where it ends; whether any has
  /// more than `tiny_items`. Ends with a barrier.
  static __device__ bool load(shared_storage& shared, segment_list<Offset> const& segments,
                              index_t from, index_t last, index_t first, int items,
                              key_type const* in) {
    // What is read is under way together.
    for (int i = thread(); i < items; i += at_once * block_threads) {
      key_type key[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads < items) key[k] = in[first + i + k * block_threads];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads >= items) continue;
        shared.key[i + k * block_threads] = key[k];
        shared.segment_end[i + k * block_threads] = 0;
      }
    }
    simt::sync_block();
    bool any_longer = false;
    auto const mark = [&](index_t begin, index_t end) {
      if (begin == end) return;
      shared.segment_end[begin - first] = static_cast<std::uint16_t>(end - first);
      any_longer = any_longer || end - begin > tiny_items;
    };
    if (last - from <= 2 * most_items) {
      for (index_t s = from + thread(); s < last; s += at_once * block_threads) {
        index_t begin[at_once], end[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          index_t const segment = s + k * block_threads < last ? s + k * block_threads : s;
          begin[k] = segments.begin(segment);
          end[k] = segments.end(segment);
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) mark(begin[k], end[k]);
      }
    } else {  // nearly all of them empty
      for (int i = thread(); i < items; i += block_threads) {
        index_t const segment = segments.first_from(first + i + 1, from, last) - 1;
        if (segments.begin(segment) == first + i) mark(first + i, segments.end(segment));
      }
    }
    return simt::sync_block_or(any_longer);
  }

  /// segment[i] = where the segment of item i begins, or, if `numbers`, which of the group's it is,
  /// those without items not counted. Returns how many they are. Ends with a barrier.
  static __device__ int find_segments(shared_storage& shared, int items, bool numbers) {
    int const warp = thread() / simt::warp_size;
    int const first = warp * warp_items;
    unsigned heads[rows];
    int found = 0, latest = -1;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      int const i = first + row * simt::warp_size + simt::lane_id();
      heads[row] = simt::ballot(simt::full_warp, i < items && shared.segment_end[i] != 0);
      found += simt::popc(heads[row]);
      if (heads[row] != 0) latest = first + row * simt::warp_size + 31 - simt::clz(heads[row]);
    }
    if (simt::lane_id() == 0) {
      shared.found[warp] = found;
      shared.latest[warp] = latest;
    }
    simt::sync_block();
    int number = -1, begin = 0, all = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w < warp) number += shared.found[w];
      if (w < warp && shared.latest[w] >= 0) begin = shared.latest[w];
      all += shared.found[w];
    }
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      int const i = first + row * simt::warp_size + simt::lane_id();
      unsigned const up_to = heads[row] & simt::lanemask_le();
      int const own = up_to == 0 ? begin : i - simt::lane_id() + 31 - simt::clz(up_to);
      if (i < items) {
        shared.segment[i] = static_cast<std::uint16_t>(numbers ? number + simt::popc(up_to) : own);
      }
      number += simt::popc(heads[row]);
      if (heads[row] != 0) begin = i - simt::lane_id() + 31 - simt::clz(heads[row]);
    }
    simt::sync_block();
    return all;
  }

  /// An item goes behind as many of its segment as come before it: keys, and values with them,
  /// straight to their places.
  static __device__ void sort_by_counting(shared_storage& shared, Order const& order, index_t first,
                                          int items, sort_buffers<key_type> const& keys,
                                          sort_buffers<Value> const& values) {
    for (int i = thread(); i < items; i += block_threads) {
      key_type const key = shared.key[i];
      int const begin = shared.segment[i];
      int const end = shared.segment_end[begin];
      int place = begin;
#pragma unroll 4
      for (int j = begin; j < end; ++j) {
        if (comes_before(order, shared.key[j], key, j < i)) ++place;
      }
      keys.out[first + place] = key;
      if constexpr (has_values) values.out[first + place] = values.in[first + i];
    }
  }

  /// Whether `a` must come before `b`, or may, if `first` it is.
  static __device__ __forceinline__ bool comes_before(Order const& order, key_type const& a,
                                                      key_type const& b, bool first) {
    if constexpr (Order::words == 1) {
      auto const mask = order.counting(0);
      auto const x = order.word(a) & mask, y = order.word(b) & mask;
      return x < y || (x == y && first);
    } else {
      return first ? !order(b, a) : order(a, b);
    }
  }

  /// Splits by every digit of the keys, and at last by the numbers of the segments. Ends with a
  /// barrier.
  static __device__ void sort_by_digits(shared_storage& shared, Order const& order,
                                        segment_digits const& digits, int items, int segments) {
    for (int i = thread(); i < items; i += block_threads) {
      shared.item[i] = static_cast<std::uint16_t>(i);
    }
    simt::sync_block();
    for (int d = 0; d < digits.count; ++d) {
      sort_once(shared, items, [&](int i) { return digits.place[d].digit(order, shared.key[i]); });
    }
    for (int shift = 0; (segments - 1) >> shift > 0; shift += digit_bits) {
      sort_once(shared, items, [&](int i) {
        return static_cast<unsigned>(shared.segment[i]) >> shift & (digit_values - 1u);
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

  static __device__ void store(shared_storage& shared, index_t first, int items,
                               sort_buffers<key_type> const& keys,
                               sort_buffers<Value> const& values) {
    for (int i = thread(); i < items; i += block_threads) {
      int const item = shared.item[i];
      keys.out[first + i] = shared.key[item];
      if constexpr (has_values) values.out[first + i] = values.in[first + item];
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
