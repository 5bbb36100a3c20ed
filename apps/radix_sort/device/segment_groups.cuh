// SPDX-License-Identifier: Apache-2.0
// The sort of short segments: a block takes all that begin within a stretch of the items. Lanes of
// its warps sort runs in their registers, by the number of lanes each needs; only the longest
// segments are several runs, which are merged.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/device/lane_sort.cuh>
#include <apps/radix_sort/device/longer_segments.cuh>
#include <apps/radix_sort/device/shared_counter.cuh>
#include <apps/radix_sort/device/sort_plan.cuh>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A few consecutive items of up to 65536.
struct item_range {
  int begin;
  int length;
};

/// Lists of disjoint runs with at most MaxItems items in total. At most MaxOfLane runs are for
/// one lane; a run has up to MaxLanes times as many items as a lane sorts, which are at least
/// MinWidth.
template <int MaxItems, int MaxOfLane, int MinWidth, int MaxLanes>
class run_lists {
 public:
  static_assert(MaxItems <= 1 << 16, "for packed runs");
  static_assert(MaxLanes <= simt::warp_size && (MaxLanes & (MaxLanes - 1)) == 0);

  /// Empties the lists. By all threads; begins and ends with a barrier.
  __device__ void clear() {
    if (threadIdx.x < sizes) count_[threadIdx.x] = 0;
  }

  /// Adds a run of 2 items or more, to be sorted by lanes that sort `width` each.
  __device__ void add(item_range const& run, int width) {
    int size = 0;
    while (run.length > width << size) ++size;
    unsigned const place = device::take_from_counter(count_[size], 1);
    run_[first(size) + static_cast<int>(place)] =
        static_cast<unsigned>(run.begin) << 16 | static_cast<unsigned>(run.length);
  }

  /// act(run, lanes) by the lanes of each run; lanes without one get a run of no items. All lanes
  /// of the block call, after a barrier.
  template <int BlockThreads, class Act>
  __device__ __forceinline__ void for_each(Act const& act) const {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    int passed = 0;
    int size = sizes - 1;
    for (int turn = warp;; turn += BlockThreads / simt::warp_size) {
      while (size >= 0 && turn - passed >= turns(size)) passed += turns(size--);
      if (size < 0) return;
      int const place = ((turn - passed) * simt::warp_size + simt::lane_id()) >> size;
      unsigned const packed =
          place < static_cast<int>(count_[size]) ? run_[first(size) + place] : 0;
      act(item_range{static_cast<int>(packed >> 16), static_cast<int>(packed & 0xffff)}, 1 << size);
    }
  }

 private:
  /// Sizes of runs: s for those that take 2^s lanes.
  static constexpr int sizes = [] {
    int all = 1;
    while (1 << all <= MaxLanes) ++all;
    return all;
  }();

  /// The most runs of a size.
  static constexpr LIBSCAN_HOST_DEVICE int max_runs(int size) {
    return size == 0 ? MaxOfLane : MaxItems / MinWidth >> (size - 1);
  }
  /// Where the list of a size begins.
  static constexpr LIBSCAN_HOST_DEVICE int first(int size) {
    int before = 0;
    for (int s = 0; s < size; ++s) before += max_runs(s);
    return before;
  }
  /// How many times a warp must act for all runs of a size.
  __device__ int turns(int size) const {
    return ceil_div(static_cast<int>(count_[size]) << size, simt::warp_size);
  }

  unsigned count_[sizes];
  unsigned run_[first(sizes)];
};

// Merges of sorted runs in shared memory by all threads of a block.

/// MaxItems entries, with gaps, so that the ranges that neighboring lanes sort or merge begin in
/// different banks.
template <class T, int MaxItems>
class spread_array {
 public:
  using value_type = T;
  __device__ __forceinline__ T& operator[](int i) { return entry_[i + i / gap_distance]; }
  __device__ __forceinline__ T const& operator[](int i) const {
    return entry_[i + i / gap_distance];
  }

 private:
  static constexpr int gap_distance = sizeof(T) <= 4 ? 32 : 16;  // entries that fill all banks
  T entry_[MaxItems + MaxItems / gap_distance];
};

/// Runs of words only. Everything that merges has `heads`, which are compared, and tails, which
/// move with them.
template <class Words>
struct merged_words {
  using head_type = typename Words::value_type;
  struct rest_type {};
  Words& word;

  __device__ __forceinline__ head_type head(int i) const { return word[i]; }
  __device__ __forceinline__ rest_type rest(int) const { return {}; }
  __device__ __forceinline__ bool before(head_type a, head_type b) const { return a < b; }
  __device__ __forceinline__ void put(int i, head_type head, rest_type) const { word[i] = head; }
};
/// Runs of words, with the items that they belong to.
template <class Words, class Items>
struct merged_words_and_items {
  using head_type = typename Words::value_type;
  using rest_type = typename Items::value_type;
  Words& word;
  Items& item;

  __device__ __forceinline__ head_type head(int i) const { return word[i]; }
  __device__ __forceinline__ rest_type rest(int i) const { return item[i]; }
  __device__ __forceinline__ bool before(head_type a, head_type b) const { return a < b; }
  __device__ __forceinline__ void put(int i, head_type head, rest_type rest) const {
    word[i] = head;
    item[i] = rest;
  }
};
/// Runs of items, whose keys are read for comparisons.
template <class Items, class Order>
struct merged_items {
  using head_type = std::uint16_t;
  struct rest_type {};
  Items& item;
  Order const& order;
  typename Order::key_type const* in;

  __device__ __forceinline__ head_type head(int i) const { return static_cast<head_type>(item[i]); }
  __device__ __forceinline__ rest_type rest(int) const { return {}; }
  __device__ __forceinline__ bool before(head_type a, head_type b) const {
    return order(in[a], in[b]);
  }
  __device__ __forceinline__ void put(int i, head_type head, rest_type) const { item[i] = head; }
};
/// What is left of two sorted runs that merge.
struct run_pair {
  int left, left_end, right, right_end;
};

/// The pair of runs of `run_length` items of a segment that contains merged item `next`, without
/// the items before it.
template <class Merged>
__device__ run_pair runs_before(Merged const& merged, item_range const& segment, int next,
                                int run_length) {
  int const segment_end = segment.begin + segment.length;
  int const left = segment.begin + (next - segment.begin) / (2 * run_length) * (2 * run_length);
  int const right = left + run_length < segment_end ? left + run_length : segment_end;
  int const right_end = right + run_length < segment_end ? right + run_length : segment_end;
  // Find how many of the items before it are of the left run.
  int const before = next - left;
  int low = before - (right_end - right) > 0 ? before - (right_end - right) : 0;
  int high = before < right - left ? before : right - left;
  while (low < high) {
    int const middle = (low + high) / 2;
    bool const is_right =
        merged.before(merged.head(right + before - 1 - middle), merged.head(left + middle));
    if (is_right) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return {left + low, right, right + before - low, right_end};
}

/// Merges the sorted runs of `run_length` items of a segment in pairs: every thread finds the first
/// items of its part of the merged run, at most MaxPerThread items (Green, McColl & Bader, "GPU
/// Merge Path", 2012). All threads of the block call; ends with a barrier.
template <int MaxPerThread, int BlockThreads, class Merged>
__device__ void merge_runs(Merged const& merged, item_range const& segment, int run_length) {
  static_assert(MaxPerThread % 2 == 1, "an odd number, to spread the banks");
  using head_type = typename Merged::head_type;
  head_type heads[MaxPerThread];
  typename Merged::rest_type rests[MaxPerThread];
  int const segment_end = segment.begin + segment.length;
  int const per_thread = ceil_div(segment.length, BlockThreads) | 1;
  int const from = segment.begin + static_cast<int>(threadIdx.x) * per_thread;
  int const to = from + per_thread < segment_end ? from + per_thread : segment_end;
  for (int next = from, end = from; next < to; next = end) {
    run_pair pair = device::runs_before(merged, segment, next, run_length);
    end = pair.right_end < to ? pair.right_end : to;
    head_type left{}, right{};
    if (pair.left < pair.left_end) left = merged.head(pair.left);
    if (pair.right < pair.right_end) right = merged.head(pair.right);
#pragma unroll
    for (int k = 0; k < MaxPerThread; ++k) {
      if (from + k < next || from + k >= end) continue;
      bool const is_right =
          pair.left == pair.left_end || (pair.right < pair.right_end && merged.before(right, left));
      int const taken = is_right ? pair.right++ : pair.left++;
      heads[k] = is_right ? right : left;
      rests[k] = merged.rest(taken);
      head_type const following = merged.head(taken + 1 < segment_end ? taken + 1 : taken);
      (is_right ? right : left) = following;
    }
  }
  simt::sync_block();
#pragma unroll
  for (int k = 0; k < MaxPerThread; ++k) {
    if (from + k < to) merged.put(from + k, heads[k], rests[k]);
  }
  simt::sync_block();
}

/// Sorts all segments of at most `stretch_items` that begin in the marked stretches. Those of one
/// stretch make a group, which fits the block's memory.
template <class Order, class Value, class Offset, class Tuning>
struct segment_groups_kernel {
  using key_type = typename Order::key_type;
  using word_type = typename Order::word_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = sizeof(word_type) > 4 ? 4 : has_values ? 6 : 8;
  static constexpr int stretch_items = Tuning::stretch_items;
  static constexpr int max_items = 2 * stretch_items;
  static constexpr bool by_words = Order::words == 1;
  static constexpr bool sorts_words_only = may_sort_alone<Order, Value>;

  /// Keys that a lane sorts: as words only, or with their places.
  template <bool WordsOnly>
  static constexpr int lane_items = !by_words                                  ? 8
                                    : sizeof(word_type) <= (WordsOnly ? 4 : 2) ? 32
                                                                               : 16;
  /// The most items of a warp; longer segments are several runs.
  template <bool WordsOnly>
  static constexpr int run_items = lane_items<WordsOnly>* Tuning::max_lanes;
  /// Runs for one lane: of two items or more that begin in the stretch, or parts of longer ones.
  static constexpr int max_of_lane = stretch_items / 2 + max_items / lane_items<false>;
  static constexpr int max_merges = max_items / run_items<false>;
  static constexpr int max_per_thread = ceil_div(stretch_items, block_threads) | 1;  // of a merge

  static constexpr bool separate_items = has_values || !by_words;  // or where the words were
  using entry = std::conditional_t<sizeof(word_type) == 1, std::uint16_t, word_type>;
  using word_array = spread_array<entry, max_items>;
  using item_array = spread_array<std::uint16_t, max_items>;
  struct nothing {};

  struct shared_storage {
    run_lists<max_items, max_of_lane, lane_items<false>, Tuning::max_lanes> runs;
    unsigned merges;
    item_range merge[max_merges];                                  // segments that are several runs
    std::conditional_t<by_words, word_array, nothing> word;        // as sorted so far
    std::conditional_t<separate_items, item_array, nothing> item;  // likewise: which it is
  };

  __device__ void operator()(shared_storage& shared, segment_list<Offset> segments,
                             longer_segments longer, index_t n, Order order,
                             sort_buffers<key_type> keys, sort_buffers<Value> values) const {
    static_assert(sizeof(shared_storage) <= 64 * 1024, "for every GPU");
    static_assert(block_threads % simt::warp_size == 0);
    index_t const stretches = ceil_div(n, index_t{stretch_items});
    for (index_t from = index_t{blockIdx.x} * in_a_row(stretches); from < stretches;
         from += index_t{gridDim.x} * in_a_row(stretches)) {
      index_t const to = at_most(from + in_a_row(stretches), stretches);
      index_t const requested = from + thread();
      bool const any = simt::sync_block_or(requested < to && longer.marks[requested] != 0);
      for (index_t stretch = from; any && stretch < to; ++stretch) {
        if (longer.marks[stretch] == 0) continue;
        sort_group(shared, segments, longer.begun[stretch], order, keys, values);
      }
    }
  }

 private:
  /// Which item comes to each place after the sort.
  static __device__ __forceinline__ auto& items_of(shared_storage& shared) {
    if constexpr (separate_items) {
      return shared.item;
    } else {
      return shared.word;
    }
  }

  static __device__ __forceinline__ word_type word_at(shared_storage const& shared, int i) {
    return static_cast<word_type>(shared.word[i]);
  }

  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ index_t at_most(index_t a, index_t b) { return a < b ? a : b; }

  /// Stretches whose marks a block reads together.
  static __device__ index_t in_a_row(index_t stretches) {
    return at_most(ceil_div(stretches, index_t{gridDim.x} * 4), 16);
  }

  /// Sorts the segments of a range, which begin in one stretch; except the last, if it is long.
  static __device__ void sort_group(shared_storage& shared, segment_list<Offset> const& segments,
                                    longer_segments::range const& range, Order const& order,
                                    sort_buffers<key_type> const& keys,
                                    sort_buffers<Value> const& values) {
    index_t const last = segments.length(range.to - 1) > stretch_items ? range.to - 1 : range.to;
    index_t const first = segments.begin(range.from);
    auto const items = static_cast<int>(segments.begin(last) - first);
    if (items == 0) return;
    bool keys_recoverable = false;
    if constexpr (by_words) keys_recoverable = load(shared, order, keys.in + first, items);
    shared.runs.clear();
    if (thread() == 0) shared.merges = 0;
    bool const all_tell = simt::sync_block_and(keys_recoverable);
    auto const sort_all = [&](auto alone) {
      for_each_segment(segments, range.from, last, items,
                       [&](item_range const& segment) { add<alone>(shared, segment); });
      simt::sync_block();
      sort_runs<alone>(shared, order, keys.in + first);
      simt::sync_block();
      merge_segments<alone>(shared, order, keys.in + first);
    };
    if constexpr (sorts_words_only) {
      if (all_tell) {
        sort_all(std::true_type{});
        store(shared, order, keys.out + first, items);
        simt::sync_block();
        return;
      }
    }
    sort_all(std::false_type{});
    move_items(shared, keys.in + first, keys.out + first, items);
    if constexpr (has_values) move_items(shared, values.in + first, values.out + first, items);
    simt::sync_block();
  }

  /// Loads the words of the keys. Returns whether the caller's keys can be recovered from them.
  static __device__ bool load(shared_storage& shared, Order const& order, key_type const* in,
                              int items) {
    constexpr int at_once = items_in_flight<key_type>;
    word_type const counting = order.counting(0);
    bool keys_recoverable = sorts_words_only && order.has_all_bits();
    for (int i = thread(); i < items; i += at_once * block_threads) {
      key_type key[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads < items) key[k] = in[i + k * block_threads];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads >= items) continue;
        word_type const word = order.word(key[k]);
        shared.word[i + k * block_threads] = static_cast<word_type>(word & counting);
        if constexpr (sorts_words_only) {
          if (keys_recoverable)
            keys_recoverable = device::recoverable_from_word(order, key[k], word);
        }
      }
    }
    return keys_recoverable;
  }

  /// act(items) for each segment of [from, to) that is not empty; their items are `items`.
  template <class Act>
  static __device__ void for_each_segment(segment_list<Offset> const& segments, index_t from,
                                          index_t to, int items, Act const& act) {
    index_t const first = segments.begin(from);
    auto const act_on = [&](index_t begin, index_t end) {
      if (begin != end) act({static_cast<int>(begin - first), static_cast<int>(end - begin)});
    };
    if (to - from <= 2 * max_items) {
      for (index_t s = from + thread(); s < to; s += block_threads) {
        act_on(segments.begin(s), segments.end(s));
      }
    } else {  // nearly all of them empty
      for (int i = thread(); i < items; i += block_threads) {
        index_t const segment = segments.first_from(first + i + 1, from, to) - 1;
        if (segments.begin(segment) == first + i) act_on(first + i, segments.end(segment));
      }
    }
  }

  /// Adds a segment to what is sorted.
  template <bool WordsOnly>
  static __device__ void add(shared_storage& shared, item_range const& segment) {
    constexpr int max_length = run_items<WordsOnly>;
    if (segment.length > max_length)
      shared.merge[device::take_from_counter(shared.merges, 1)] = segment;
    for (int at = 0; at < segment.length; at += max_length) {
      int const left = segment.length - at;
      item_range const run{segment.begin + at, left < max_length ? left : max_length};
      if (run.length > 1) {
        shared.runs.add(run, lane_items<WordsOnly>);
      } else if constexpr (!WordsOnly) {
        items_of(shared)[run.begin] = static_cast<std::uint16_t>(run.begin);
      }
    }
  }

  /// Sorts all runs.
  template <bool WordsOnly>
  static __device__ void sort_runs(shared_storage& shared, Order const& order, key_type const* in) {
    bool const will_merge = shared.merges > 0;
    shared.runs.template for_each<block_threads>([&](item_range const& run, int lanes) {
      constexpr int max_width = lane_items<WordsOnly>;
      unsigned const longest =
          lanes > 1 ? max_width
                    : simt::reduce_max(simt::full_warp, static_cast<unsigned>(run.length));
      auto const sort = [&](auto item_at, auto put) {
        device::with_width<max_width>(longest, [&](auto width) {
          device::sort_by_lanes<width>(lanes, run.length, item_at, put);
        });
      };
      auto const put_item = [&](int i, auto const& sorted) {
        items_of(shared)[run.begin + i] = static_cast<std::uint16_t>(run.begin + sorted.place());
      };
      if constexpr (WordsOnly) {
        sort([&](int i) { return lone_word(word_at(shared, run.begin + i)); },
             [&](int i, auto const& sorted) { shared.word[run.begin + i] = sorted.word(); });
      } else if constexpr (!by_words) {
        sort([&](int i) { return placed_words<Order>(order, in[run.begin + i], i); }, put_item);
      } else {
        sort([&](int i) { return placed_word(word_at(shared, run.begin + i), i); },
             [&](int i, auto const& sorted) {
               put_item(i, sorted);
               if constexpr (separate_items) {
                 if (will_merge) shared.word[run.begin + i] = sorted.word();
               }
             });
      }
    });
  }

  /// Merges the sorted runs of all segments that are several runs. Ends with a barrier if there are
  /// any.
  template <bool WordsOnly>
  static __device__ void merge_segments(shared_storage& shared, Order const& order,
                                        key_type const* in) {
    auto const merge = [&](auto const& merged) {
      for (unsigned m = 0; m < shared.merges; ++m) {
        item_range const segment = shared.merge[m];
        for (int length = run_items<WordsOnly>; length < segment.length; length *= 2) {
          device::merge_runs<max_per_thread, block_threads>(merged, segment, length);
        }
      }
    };
    if constexpr (WordsOnly) {
      merge(merged_words<word_array>{shared.word});
    } else if constexpr (by_words && separate_items) {
      merge(merged_words_and_items<word_array, item_array>{shared.word, shared.item});
    } else {
      merge(merged_items<std::conditional_t<separate_items, item_array, word_array>, Order>{
          items_of(shared), order, in});
    }
  }

  /// Moves keys or values to their places.
  template <class T>
  static __device__ void move_items(shared_storage& shared, T const* in, T* out, int items) {
    constexpr int at_once = items_in_flight<T>;
    for (int i = thread(); i < items; i += at_once * block_threads) {
      T moved[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const at = i + k * block_threads;
        if (at < items) moved[k] = in[static_cast<int>(items_of(shared)[at])];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k * block_threads < items) out[i + k * block_threads] = moved[k];
      }
    }
  }

  /// Stores the keys recovered from the words.
  static __device__ void store(shared_storage const& shared, Order const& order, key_type* out,
                               int items) {
    for (int i = thread(); i < items; i += block_threads) out[i] = order.key(word_at(shared, i));
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
