// SPDX-License-Identifier: Apache-2.0
// The sort of short segments: a block takes all that begin within a stretch of the items. Each lane
// sorts a run of a few items; then runs merge in pairs.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/lane_sort.cuh>
#include <apps/radix_sort/longer_segments.cuh>
#include <apps/radix_sort/segment_bounds.cuh>
#include <apps/radix_sort/sort_plan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sorts all segments of at most `stretch_items` that begin in the stretches marked. Those of one
/// stretch make a group, which fits the block's memory.
template <class Order, class Value, class Offset, class Tuning>
struct segment_groups_kernel {
  using key_type = typename Order::key_type;
  using word_type = typename Order::word_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = sizeof(word_type) <= 4 ? 4 : 2;  // of a multiprocessor
  static constexpr int stretch_items = Tuning::stretch_items;
  static constexpr int most_items = 2 * stretch_items;
  using bounds_type = segment_bounds<most_items, block_threads>;
  static constexpr int rows = bounds_type::rows;
  static constexpr bool by_words = Order::words == 1;  // or by looking at two keys
  static constexpr int run_items = 16;                 // that a lane sorts
  static constexpr int per_thread = rows | 1;          // of a merge; odd, to spread the banks

  struct shared_storage {
    word_type word[by_words ? most_items : 1];  // in the order sorted so far
    std::uint16_t item[most_items];             // likewise: which it is
    std::uint16_t run[most_items];              // where each begins, listed by warp
    bounds_type bounds;
  };

  __device__ void operator()(shared_storage& shared, segment_list<Offset> segments,
                             longer_segments longer, index_t n, Order order,
                             sort_buffers<key_type> keys, sort_buffers<Value> values) const {
    static_assert(sizeof(shared_storage) <= 64 * 1024, "for every GPU");
    index_t const stretches = ceil_div(n, index_t{stretch_items});
    for (index_t from = index_t{blockIdx.x} * in_a_row(stretches); from < stretches;
         from += index_t{gridDim.x} * in_a_row(stretches)) {
      index_t const to = at_most(from + in_a_row(stretches), stretches);
      index_t const asked = from + thread();
      bool const any = simt::sync_block_or(asked < to && longer.marks[asked] != 0);
      for (index_t stretch = from; any && stretch < to; ++stretch) {
        if (longer.marks[stretch] == 0) continue;
        sort_group(shared, segments, longer.begun[stretch], order, keys, values);
      }
    }
  }

 private:
  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ index_t at_most(index_t a, index_t b) { return a < b ? a : b; }

  /// Stretches whose marks a block reads together.
  static __device__ index_t in_a_row(index_t stretches) {
    return at_most(ceil_div(stretches, index_t{gridDim.x} * 4), 16);
  }

  /// Sorts the segments of a range, which begin in one stretch; but the last, if it is a long one.
  static __device__ void sort_group(shared_storage& shared, segment_list<Offset> const& segments,
                                    longer_segments::range const& range, Order const& order,
                                    sort_buffers<key_type> const& keys,
                                    sort_buffers<Value> const& values) {
    index_t const last = segments.length(range.to - 1) > stretch_items ? range.to - 1 : range.to;
    index_t const first = segments.begin(range.from);
    auto const items = static_cast<int>(segments.begin(last) - first);
    if (items == 0) return;
    if constexpr (by_words) load(shared, order, keys.in + first, items);
    shared.bounds.clear(items);
    simt::sync_block();
    int const longest = shared.bounds.find(segments, range.from, last, first, items);
    sort_runs(shared, order, keys.in + first, items);
    for (int run = run_items; run < longest; run *= 2) {
      merge_runs(shared, order, keys.in + first, items, run);
    }
    move(shared, keys.in + first, keys.out + first, items);
    if constexpr (has_values) move(shared, values.in + first, values.out + first, items);
    simt::sync_block();
  }

  /// Loads the keys' words.
  static __device__ void load(shared_storage& shared, Order const& order, key_type const* in,
                              int items) {
    constexpr int at_once = items_on_their_way<key_type>;
    word_type const counting = order.counting(0);
    for (int i = thread(); i < items; i += at_once * block_threads) {
      key_type key[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads < items) key[k] = in[i + k * block_threads];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads >= items) continue;
        shared.word[i + k * block_threads] = static_cast<word_type>(order.word(key[k]) & counting);
      }
    }
  }

  /// Sorts the items of each segment in runs of `run_items`, a lane each. Ends with a barrier.
  static __device__ void sort_runs(shared_storage& shared, Order const& order, key_type const* in,
                                   int items) {
    // 1 list the runs that begin in the warp's part
    std::uint16_t* const begins = shared.run + bounds_type::item_of_row(0) - simt::lane_id();
    int runs = 0;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      int const i = bounds_type::item_of_row(row);
      bool const is_begin = i < items && (i - shared.bounds.begin_of(i)) % run_items == 0;
      unsigned const all = simt::ballot(simt::full_warp, is_begin);
      int const place = runs + simt::popc(all & simt::lanemask_lt());
      if (is_begin) begins[place] = static_cast<std::uint16_t>(i);
      runs += simt::popc(all);
    }
    simt::sync_warp();
    // 2 sort them
#pragma unroll 1
    for (int k = simt::lane_id(); k - simt::lane_id() < runs; k += simt::warp_size) {
      int const own = k < runs ? begins[k] : -1;
      int const left = own < 0 ? 0 : shared.bounds.end_of(shared.bounds.begin_of(own)) - own;
      int const length = left < run_items ? left : run_items;
      if constexpr (by_words) {
        with_width<run_items>(length, [&](auto width) {
          sort_words<width, word_type>(
              length, [&](int j) { return shared.word[own + j]; },
              [&](int j, word_type word, int place) {
                shared.word[own + j] = word;
                shared.item[own + j] = static_cast<std::uint16_t>(own + place);
              });
        });
      } else {
        sort_places(
            length, order, [&](int j) { return in[own + j]; },
            [&](int j) -> std::uint16_t& { return shared.item[own + j]; });
        for (int j = 0; j < length; ++j) shared.item[own + j] += static_cast<std::uint16_t>(own);
      }
    }
    simt::sync_block();
  }

  /// What is left of two sorted runs that merge.
  struct run_pair {
    int left, left_end, right, right_end;
  };

  /// What decides about an item: its word, or which key it is.
  using head_type = std::conditional_t<by_words, word_type, std::uint16_t>;
  static __device__ __forceinline__ head_type head(shared_storage const& shared, int i) {
    if constexpr (by_words) {
      return shared.word[i];
    } else {
      return shared.item[i];
    }
  }
  static __device__ __forceinline__ bool comes_before(head_type a, head_type b, Order const& order,
                                                      key_type const* in) {
    if constexpr (by_words) {
      return a < b;
    } else {
      return order(in[a], in[b]);
    }
  }

  /// Merges the sorted runs of `run` items in each segment in pairs: every thread finds which items
  /// come first among a few of the merged ones (Green, McColl & Bader, "GPU Merge Path", 2012).
  /// Ends with a barrier.
  static __device__ void merge_runs(shared_storage& shared, Order const& order, key_type const* in,
                                    int items, int run) {
    head_type heads[per_thread];
    std::uint16_t item[per_thread];
    int const from = thread() * per_thread;
    int const to = from + per_thread < items ? from + per_thread : items;
    for (int next = from, end = from; next < to; next = end) {
      run_pair pair = runs_before(shared, order, in, next, run);
      end = pair.right_end < to ? pair.right_end : to;
      head_type left{}, right{};
      if (pair.left < pair.left_end) left = head(shared, pair.left);
      if (pair.right < pair.right_end) right = head(shared, pair.right);
#pragma unroll
      for (int k = 0; k < per_thread; ++k) {
        if (from + k < next || from + k >= end) continue;
        bool const is_right = pair.left == pair.left_end ||
                              (pair.right < pair.right_end && comes_before(right, left, order, in));
        int const taken = is_right ? pair.right++ : pair.left++;
        heads[k] = is_right ? right : left;
        item[k] = shared.item[taken];
        head_type const following = head(shared, taken + 1 < items ? taken + 1 : taken);
        (is_right ? right : left) = following;
      }
    }
    simt::sync_block();
#pragma unroll
    for (int k = 0; k < per_thread; ++k) {
      if (from + k >= to) continue;
      if constexpr (by_words) shared.word[from + k] = heads[k];
      shared.item[from + k] = item[k];
    }
    simt::sync_block();
  }

  /// The pair of runs that item `next` of the merged ones comes from, without those that come
  /// before it.
  static __device__ run_pair runs_before(shared_storage const& shared, Order const& order,
                                         key_type const* in, int next, int run) {
    int const segment = shared.bounds.begin_of(next);
    int const segment_end = shared.bounds.end_of(segment);
    int const left = segment + (next - segment) / (2 * run) * (2 * run);
    int const right = left + run < segment_end ? left + run : segment_end;
    int const right_end = right + run < segment_end ? right + run : segment_end;
    // Of the items before it, find how many are of the left run.
    int const before = next - left;
    int low = before - (right_end - right) > 0 ? before - (right_end - right) : 0;
    int high = before < right - left ? before : right - left;
    while (low < high) {
      int const middle = (low + high) / 2;
      bool const is_right = comes_before(head(shared, right + before - 1 - middle),
                                         head(shared, left + middle), order, in);
      if (is_right) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return {left + low, right, right + before - low, right_end};
  }

  /// Moves keys or values to their places.
  template <class T>
  static __device__ void move(shared_storage const& shared, T const* in, T* out, int items) {
    constexpr int at_once = items_on_their_way<T>;
    for (int i = thread(); i < items; i += at_once * block_threads) {
      T moved[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads < items) moved[k] = in[shared.item[i + k * block_threads]];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads < items) out[i + k * block_threads] = moved[k];
      }
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
