// SPDX-License-Identifier: Apache-2.0
// The histogram of 8-bit samples, for any bins: counts each of the 256 values, in counters of each
// lane's own, and applies the rule to values, not samples.
#pragma once

#include <cstring>

#include <apps/histogram/device/counters.cuh>
#include <apps/histogram/device/sample_pieces.cuh>
#include <libscan/device/item_count.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Counts values. Lane l of every warp adds to column l: no two lanes use one bank.
template <class Sample, class Rule, class Count, class Tuning>
struct byte_histogram_kernel {
  static_assert(sizeof(Sample) == 1);
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int values = 256;

  struct shared_storage {
    unsigned count[values * simt::warp_size];
  };

  __device__ void operator()(shared_storage& shared, Sample const* in, item_count length, Rule rule,
                             Count* counts, sample_totals* totals) const {
    int const thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < values * simt::warp_size; i += block_threads) shared.count[i] = 0;
    simt::sync_block();
    unsigned* const column = shared.count + simt::lane_id();
    device::for_each_samples<Tuning::batch>(in, length.get(), [column](auto const& samples) {
#pragma unroll
      for (Sample const sample : samples) {
        auto const value = static_cast<unsigned char>(sample);
        add_to_counter(column[value * simt::warp_size], 1);
      }
    });
    simt::sync_block();

    sample_tally tally(rule.bins());
    for (int value = thread; value < values; value += block_threads) {
      unsigned sum = 0;
      for (int lane = 0; lane < simt::warp_size; ++lane) {
        sum += shared.count[value * simt::warp_size + (value + lane) % simt::warp_size];
      }
      if (sum == 0) continue;
      auto const byte = static_cast<unsigned char>(value);
      Sample sample;
      std::memcpy(__builtin_addressof(sample), &byte, 1);
      tally.count(counts, rule.find(sample), sum);
    }
    tally.commit(*totals);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
