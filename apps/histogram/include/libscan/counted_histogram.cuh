// SPDX-License-Identifier: Apache-2.0
// The histogram of few bins by counting barriers: one `__syncthreads_count` per place and tile, as
// the chapter counts predicates (Harris & Garland 2012, 3.2.1). No atomics, no shared memory.
#pragma once

#include <apps/histogram/device/counters.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/device/item_count.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Thread p keeps the count of place p.
template <class Sample, class Rule, class Count, class Tuning>
struct counted_histogram_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  __device__ void operator()(Sample const* in, item_count length, Rule rule, Count* counts,
                             sample_totals* totals) const {
    index_t const n = length.get();
    int const places = rule.bins() + outside_places, thread = static_cast<int>(threadIdx.x);
    unsigned own = 0;
    for (index_t tile = index_t{blockIdx.x} * block_threads; tile < n;
         tile += index_t{gridDim.x} * block_threads) {
      int const place = tile + thread < n ? rule.find(in[tile + thread]) : -1;
      for (int p = 0; p < places; ++p) {
        int const count = block::count(place == p);
        if (thread == p) own += static_cast<unsigned>(count);
      }
    }
    sample_tally tally(rule.bins());
    if (own != 0) tally.count(counts, thread, own);
    tally.commit(*totals);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
