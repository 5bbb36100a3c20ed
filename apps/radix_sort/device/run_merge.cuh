// SPDX-License-Identifier: Apache-2.0
// Merges of sorted runs in shared memory by all threads of a block.
#pragma once

#include <cstdint>

#include <apps/radix_sort/device/run_lists.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

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

/// Runs of words only. Everything that merges has heads, which are compared, and tails, which move
/// with them.
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
