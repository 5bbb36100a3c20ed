// SPDX-License-Identifier: Apache-2.0
// Histograms whose counters fit in a block's shared memory: every block has all of them and adds
// them to the grid's once, at the end (Podlozhnyuk 2007; Shams & Kennedy 2007). Samples of 8 bits
// are counted by value, in counters of each lane's own; the rule is applied to values.
#pragma once

#include <cstring>

#include <apps/histogram/device/counters.cuh>
#include <apps/histogram/device/rule_in_shared.cuh>
#include <apps/histogram/device/sample_pieces.cuh>
#include <libscan/device/item_count.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The end of a block's counters, one per place, and the begin of the rule's memory, if it is
/// staged.
LIBSCAN_HOST_DEVICE inline std::size_t counter_bytes(int bins) {
  return (static_cast<std::size_t>(bins + outside_places) * sizeof(unsigned) + 15) / 16 * 16;
}

/// Counts in dynamic shared memory: a counter per place, and the rule's staged data.
template <class Sample, class Rule, class Count, class Tuning>
struct shared_histogram_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  __device__ void operator()(Sample const* in, item_count length, Rule rule, edge_staging staging,
                             Count* counts, sample_totals* totals) const {
    auto* const memory = simt::dynamic_shared<unsigned char>();
    auto* const counters = reinterpret_cast<unsigned*>(memory);
    int const places = rule.bins() + outside_places;
    for (int i = static_cast<int>(threadIdx.x); i < places; i += block_threads) counters[i] = 0;
    void* const staged = memory + device::counter_bytes(rule.bins());
    rule_in_shared<Rule>::with(rule, staging, staged, [&](auto find) {
      device::for_each_samples<Tuning::batch>(in, length.get(), [&](auto const& samples) {
        int found[std::extent_v<std::remove_reference_t<decltype(samples)>>];
        device::find_places(find, samples, found);
#pragma unroll
        for (int const place : found) add_to_counter(counters[place], 1);
      });
    });
    simt::sync_block();
    sample_tally tally(rule.bins());
    device::merge_counters(counters, 0, places, counts, tally);
    tally.commit(*totals);
  }
};

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
