// SPDX-License-Identifier: Apache-2.0
// Counters of a histogram, and the tally of samples inside and outside its bins. On a GPU counters
// are plain atomics: for those without a result, the hardware combines equal addresses in a warp.
#pragma once

#include <type_traits>

#include <apps/radix_sort/device/shared_counter.cuh>
#include <libscan/bins.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The number of blocks that share n samples: `resident` per multiprocessor, fewer if one would
/// have fewer than `min_items`, more if one could otherwise count to 2^32.
inline unsigned histogram_blocks(index_t n, int resident, int min_items) {
  constexpr index_t max_items = index_t{1} << 31;
  index_t const resident_blocks = index_t{simt::multiprocessor_count()} * resident;
  index_t const busy = ceil_div(n, index_t{min_items});
  index_t const min_blocks = ceil_div(n, max_items);
  index_t const blocks = busy < resident_blocks ? busy : resident_blocks;
  return static_cast<unsigned>(blocks > min_blocks ? blocks : min_blocks > 0 ? min_blocks : 1);
}

/// counter += x in global memory, atomically; orders no memory.
template <class Count>
__device__ __forceinline__ void add_to_global(Count& counter, std::type_identity_t<Count> x) {
#ifdef __CUDACC__
  using word = std::conditional_t<sizeof(Count) == 8, unsigned long long, unsigned>;
  atomicAdd(reinterpret_cast<word*>(&counter), static_cast<word>(x));
#else
  simt::atomic_ref<Count>(counter).fetch_add(x, simt::memory_order_relaxed);
#endif
}

/// total += the sum over all lanes. The whole warp calls.
__device__ inline void add_all_lanes(index_t& total, unsigned own) {
  // A lane's number fits in 32 bits, a warp's may not.
  unsigned const low = simt::reduce_add(simt::full_warp, own & 0xffffu);
  unsigned const high = simt::reduce_add(simt::full_warp, own >> 16);
  index_t const sum = static_cast<index_t>(low) + (static_cast<index_t>(high) << 16);
  if (simt::lane_id() == 0 && sum != 0) add_to_global(total, sum);
}

/// The total for samples outside.
__device__ inline index_t& outside_total(sample_totals& totals, int outside) {
  return outside == place_below ? totals.below : outside == place_above ? totals.above : totals.nan;
}

/// How many of one thread's samples are inside, and how many outside.
class sample_tally {
 public:
  explicit __device__ sample_tally(int bins) : bins_(bins) {}

  /// Adds `times` samples at a place.
  __device__ __forceinline__ void add(int place, unsigned times = 1) {
    inside_ += place < bins_ ? times : 0;
    below_ += place == bins_ + place_below ? times : 0;
    above_ += place == bins_ + place_above ? times : 0;
    nan_ += place == bins_ + place_nan ? times : 0;
  }

  /// The same, and counts them if the place is a bin.
  template <class Count>
  __device__ __forceinline__ void count(Count* counts, int place, unsigned times = 1) {
    if (place < bins_) device::add_to_global(counts[place], times);
    add(place, times);
  }

  /// Adds the tallies of all lanes to the totals. The whole warp calls.
  __device__ void commit(sample_totals& totals) const {
    add_all_lanes(totals.below, below_);
    add_all_lanes(totals.inside, inside_);
    add_all_lanes(totals.above, above_);
    add_all_lanes(totals.nan, nan_);
  }

 private:
  int bins_;
  unsigned below_ = 0, inside_ = 0, above_ = 0, nan_ = 0;
};

/// Adds a block's counts of `size` places from `first` on; counters[i] is for place first + i.
template <class Count>
__device__ void merge_counters(unsigned const* counters, int first, int size, Count* counts,
                               sample_tally& tally) {
  // Blocks begin at different places, to avoid contention.
  int const begin = size / static_cast<int>(gridDim.x) * static_cast<int>(blockIdx.x) / 32 * 32;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    int const at = i + begin < size ? i + begin : i + begin - size;
    if (unsigned const own = counters[at]; own != 0) tally.count(counts, first + at, own);
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
