// SPDX-License-Identifier: Apache-2.0
// Runs of items for the lanes of a block's warps to sort, by the number of lanes each needs, in the
// shared memory of the block.
#pragma once

#include <apps/radix_sort/device/shared_counter.cuh>
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
  static constexpr LIBSCAN_HOST_DEVICE int most(int size) {
    return size == 0 ? MaxOfLane : MaxItems / MinWidth >> (size - 1);
  }
  /// Where the list of a size begins.
  static constexpr LIBSCAN_HOST_DEVICE int first(int size) {
    int before = 0;
    for (int s = 0; s < size; ++s) before += most(s);
    return before;
  }
  /// How many times a warp must act for all runs of a size.
  __device__ int turns(int size) const {
    return ceil_div(static_cast<int>(count_[size]) << size, simt::warp_size);
  }

  unsigned count_[sizes];
  unsigned run_[first(sizes)];
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
