// SPDX-License-Identifier: Apache-2.0
// Batcher's sorting networks of a few items in one thread's registers ("Sorting networks and their
// applications", 1968): the places that are compared never depend on the items.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Puts two items in order.
template <class Item>
__device__ __forceinline__ void compare_exchange(Item& low, Item& high) {
  Item const a = low, b = high;
  bool const swap = b.before(a);
  low = swap ? b : a;
  high = swap ? a : b;
}

/// Odd-even merge sort: sorts Count items, a power of two, such that items[j].before(items[i]) is
/// false for i < j. Not stable.
template <int Count, class Item>
struct odd_even_sort {
  static_assert((Count & (Count - 1)) == 0);

  static __device__ __forceinline__ void sort(Item (&items)[Count]) {
    if constexpr (Count > 1) merge<1, 1>(items);
  }

 private:
  /// Merges sorted runs of `Run` items in pairs, from the step that compares at `Distance` on; then
  /// longer runs.
  template <int Run, int Distance>
  static __device__ __forceinline__ void merge(Item (&items)[Count]) {
    constexpr int first = Distance % Run;
#pragma unroll
    for (int i = first; i + Distance < Count; ++i) {
      bool const of_one_merge = i / (2 * Run) == (i + Distance) / (2 * Run);
      if ((i - first) / Distance % 2 != 0 || !of_one_merge) continue;
      device::compare_exchange(items[i], items[i + Distance]);
    }
    if constexpr (Distance > 1) {
      merge<Run, Distance / 2>(items);
    } else if constexpr (2 * Run < Count) {
      merge<2 * Run, 2 * Run>(items);
    }
  }
};

/// Sorts Count items, a power of two, that ascend up to one of them and descend after it, or a
/// rotation of such a sequence: steps of bitonic sort, from the one that compares at `Distance` on.
template <int Distance, int Count, class Item>
__device__ __forceinline__ void sort_bitonic(Item (&items)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (i / Distance % 2 == 0) device::compare_exchange(items[i], items[i + Distance]);
  }
  if constexpr (Distance > 1) device::sort_bitonic<Distance / 2>(items);
}

/// Merges the items of two halves of `lanes` lanes; each lane has Count items of its half in
/// ascending order, lane by lane. All lanes of the warp call; `lanes`: 2, 4, 8, 16 or 32.
template <int Count, class Item>
__device__ __forceinline__ void merge_lanes(Item (&items)[Count], int lanes) {
  auto const keep = [](Item& own, Item const& other, bool is_upper) {
    if (other.before(own) != is_upper) own = other;
  };
  bool const is_upper = (simt::lane_id() & lanes / 2) != 0;
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) {  // the lowest of one half meet the highest of the other
    Item& a = items[i];
    Item& b = items[Count - 1 - i];
    Item const meets_a = simt::shfl_xor(simt::full_warp, b, lanes - 1);
    Item const meets_b = simt::shfl_xor(simt::full_warp, a, lanes - 1);
    keep(a, meets_a, is_upper);
    keep(b, meets_b, is_upper);
  }
#pragma unroll 1
  for (int distance = lanes / 4; distance > 0; distance /= 2) {
    bool const is_right = (simt::lane_id() & distance) != 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      keep(items[i], simt::shfl_xor(simt::full_warp, items[i], distance), is_right);
    }
  }
  device::sort_bitonic<Count / 2>(items);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
