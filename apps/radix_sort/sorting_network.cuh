// SPDX-License-Identifier: Apache-2.0
// Batcher's odd-even merge sort of a few items in one thread's registers ("Sorting networks and
// their applications", 1968): which places are compared never depends on the items.
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sorts Count items, a power of two, such that before(b, a) is false for neighbours a, b. Not
/// stable.
template <int Count, class Item, class Before>
struct sorting_network {
  static_assert((Count & (Count - 1)) == 0);

  static __device__ __forceinline__ void sort(Item (&items)[Count], Before const& before) {
    if constexpr (Count > 1) merge<1, 1>(items, before);
  }

 private:
  /// Merges sorted runs of `Run` items in pairs, from the step that compares at `Distance` on; then
  /// longer runs.
  template <int Run, int Distance>
  static __device__ __forceinline__ void merge(Item (&items)[Count], Before const& before) {
    constexpr int first = Distance % Run;
#pragma unroll
    for (int i = first; i + Distance < Count; ++i) {
      bool const of_one_merge = i / (2 * Run) == (i + Distance) / (2 * Run);
      if ((i - first) / Distance % 2 != 0 || !of_one_merge) continue;
      Item const low = items[i], high = items[i + Distance];
      bool const swap = before(high, low);
      items[i] = swap ? high : low;
      items[i + Distance] = swap ? low : high;
    }
    if constexpr (Distance > 1) {
      merge<Run, Distance / 2>(items, before);
    } else if constexpr (2 * Run < Count) {
      merge<2 * Run, 2 * Run>(items, before);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
