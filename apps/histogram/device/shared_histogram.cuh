// SPDX-License-Identifier: Apache-2.0
// The histogram whose counters fit in a block's shared memory: every block has all of them and adds
// them to the grid's once, at the end (Podlozhnyuk 2007; Shams & Kennedy 2007).
#pragma once

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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
