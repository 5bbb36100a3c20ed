// SPDX-License-Identifier: Apache-2.0
// The histogram on the device, in three ways with equal results: in counters of each block's own
// (production), from a sort and a scan (sorted_histogram.cuh), and, for few bins, by counting
// barriers.
#pragma once

#include <apps/histogram/device/bucket_histogram.cuh>
#include <apps/histogram/device/counters.cuh>
#include <apps/histogram/device/packed_histogram.cuh>
#include <apps/histogram/device/shared_histogram.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/device/arguments.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/tuning/histogram.hpp>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// The histogram of few bins by counting barriers: one `__syncthreads_count` per place and tile, as
/// the chapter counts predicates (Harris & Garland 2012, 3.2.1). No atomics, no shared memory.
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

/// Throws unless the counts and totals of such a call cannot overflow, and for misaligned pointers.
template <class Sample, class Rule, class Count>
void check_histogram(Sample const* samples, item_count n, Rule const& rule, Count const* d_counts,
                     sample_totals const* d_totals) {
  static_assert(std::is_integral_v<Count> && (sizeof(Count) == 4 || sizeof(Count) == 8),
                "libscan: counts are integers of 32 or 64 bits");
  libscan::detail::check_bins(rule.bins());
  if (d_counts == nullptr || d_totals == nullptr) {
    throw invalid_argument("histogram: counts or totals are null; expected space for both");
  }
  device::require_aligned(samples, d_counts, d_totals);
  constexpr index_t max_count = std::is_signed_v<Count> ? 0x7fffffff : 0xffffffff;
  if (sizeof(Count) == 4 && n.at_most() > max_count) {
    throw invalid_argument("histogram of " + std::to_string(n.at_most()) +
                           " samples in counters of 32 bits, which could wrap; expected counters "
                           "of 64 bits");
  }
}

/// Sets counts and totals to 0.
template <class Count>
void clear_counts(workspace& ws, int bins, Count* d_counts, sample_totals* d_totals) {
  simt::fill_async(d_counts, 0, static_cast<std::size_t>(bins) * sizeof(Count), ws.stream());
  simt::fill_async(d_totals, 0, sizeof(sample_totals), ws.stream());
}

/// Shared memory that a block may use for counters.
template <class Tuning>
std::size_t counter_capacity() {
  return Tuning::shared_bytes != 0 ? Tuning::shared_bytes : simt::max_shared_bytes();
}

/// Counts samples of more than 8 bits, in the way that suits the number of bins.
template <class Tuning, class Sample, class Rule, class Count>
void wide_histogram(workspace& ws, Sample const* in, item_count n, Rule const& rule,
                    Count* d_counts, sample_totals* d_totals) {
  using in_shared = shared_histogram_kernel<Sample, Rule, Count, typename Tuning::shared>;
  using packed = packed_histogram_kernel<Sample, Rule, Count, typename Tuning::packed>;
  std::size_t const capacity = device::counter_capacity<Tuning>();
  constexpr int width = sample_pieces<Sample>::width;
  if (std::size_t const bytes = device::counter_bytes(rule.bins()); bytes <= capacity) {
    edge_staging const staging = rule_in_shared<Rule>::choose(
        rule, n.at_most() >= Tuning::shared::min_guided, capacity - bytes);
    simt::launch<in_shared>(
        {.blocks = device::histogram_blocks(n.at_most(), in_shared::resident_blocks,
                                            in_shared::block_threads * width),
         .threads = in_shared::block_threads,
         .dynamic_shared_bytes = bytes + rule_in_shared<Rule>::bytes(rule, staging),
         .on = ws.stream()},
        in, n, rule, staging, d_counts, d_totals);
  } else if (packed::bytes(rule.bins()) <= capacity) {
    simt::launch<packed>({.blocks = device::histogram_blocks(n.at_most(), packed::resident_blocks,
                                                             packed::tile_items),
                          .threads = packed::block_threads,
                          .dynamic_shared_bytes = packed::bytes(rule.bins()),
                          .on = ws.stream()},
                         in, n, rule, d_counts, d_totals);
  } else {
    int bits = Tuning::bucket_bits;
    while (sizeof(unsigned) << bits > capacity) --bits;
    device::bucket_histogram<Tuning>(ws, in, n, rule, bits, d_counts, d_totals);
  }
}

}  // namespace device

/// Bytes of workspace for any histogram of up to `n` samples of type Sample in `bins` bins: none
/// for few bins; a little more than 2 per sample for many. A pure function of its arguments; needs
/// no device.
template <class Sample, class Tuning = histogram_tuning>
constexpr std::size_t histogram_workspace_bytes(index_t n, index_t bins) {
  // This many are still counted in a block's memory, on the GPU with the least shared memory.
  constexpr index_t always_shared = 32000;
  if (sizeof(Sample) == 1 || (bins <= always_shared && Tuning::shared_bytes == 0)) return 0;
  constexpr int min_bits = Tuning::bucket_bits < 14 ? Tuning::bucket_bits : 14;
  return device::bucket_bytes<Tuning>(n, static_cast<int>(bins), min_bits).all;
}

/// counts[b] = the number of samples[0 .. n-1] in bin b; *d_totals = how many are below the bins,
/// inside, above, and NaN, which add up to n.
///
///   histogram(ws, d_prices, d_counts, even_bins<float>(0, 100, 50), n, d_totals);
///
/// Types: Rule is `integer_bins`, `even_bins`, `edge_bins` (with edges in device memory), or a
/// `bin_rule` of the caller's own; at most `max_bins` bins. Samples: integers of 8 to 64 bits,
/// float, double, `float16`, `bfloat16`, CUDA's 16-bit types. n: any size >= 0, also read from
/// device memory (`item_count::on_device`); n = 0 writes zeros. Counts: 32- or 64-bit integers; 32
/// bits only if n, or its bound on the device, cannot overflow them.
/// Aliasing: counts, totals and samples must not overlap anything.
/// Synchronization: asynchronous on the workspace's stream; allocates only if the workspace must
/// grow. Progress: no block waits for another; with more bins than counters, as in
/// `exclusive_scan`, which is then a part of it.
/// Traffic: reads n samples once; with more bins than a block has counters for (about 58000, or
/// 116000 of 16 bits), also writes and reads 2 n bytes. All inputs are about equally fast, even n
/// equal samples, up to about 58000 bins; with more, one may take twice as long as another.
/// Throws: `invalid_argument` (null pointers, bins, counts that could overflow, workspace too
/// small), `device_error`.
template <class Tuning = histogram_tuning, class Sample, bin_rule<Sample> Rule, class Count>
void histogram(workspace& ws, Sample const* samples, Count* d_counts, Rule const& rule,
               item_count n, sample_totals* d_totals) {
  device::check_histogram(samples, n, rule, d_counts, d_totals);
  device::clear_counts(ws, rule.bins(), d_counts, d_totals);
  if constexpr (sizeof(Sample) == 1) {
    using kernel = device::byte_histogram_kernel<Sample, Rule, Count, typename Tuning::bytes>;
    simt::launch<kernel>({.blocks = device::histogram_blocks(n.at_most(), kernel::resident_blocks,
                                                             kernel::block_threads * 16),
                          .threads = kernel::block_threads,
                          .on = ws.stream()},
                         samples, n, rule, d_counts, d_totals);
  } else {
    device::wide_histogram<Tuning>(ws, samples, n, rule, d_counts, d_totals);
  }
}

/// `histogram` of at most `max_counted_bins` bins by counting barriers: one per place and tile.
/// Slower than `histogram`; it shows the chapter's primitive at work. Needs no workspace. Also
/// throws `invalid_argument` for more bins.
inline constexpr int max_counted_bins = 32;
template <class Tuning = counted_histogram_tuning, class Sample, bin_rule<Sample> Rule, class Count>
void counted_histogram(workspace& ws, Sample const* samples, item_count n, Rule const& rule,
                       Count* d_counts, sample_totals* d_totals) {
  using kernel = device::counted_histogram_kernel<Sample, Rule, Count, Tuning>;
  device::check_histogram(samples, n, rule, d_counts, d_totals);
  if (rule.bins() > max_counted_bins || rule.bins() + outside_places > Tuning::block_threads) {
    throw invalid_argument("counted_histogram: " + std::to_string(rule.bins()) +
                           " bins; expected at most " + std::to_string(max_counted_bins) +
                           ", and a thread for each place");
  }
  device::clear_counts(ws, rule.bins(), d_counts, d_totals);
  simt::launch<kernel>({.blocks = device::histogram_blocks(n.at_most(), Tuning::resident_blocks,
                                                           Tuning::block_threads),
                        .threads = Tuning::block_threads,
                        .on = ws.stream()},
                       samples, n, rule, d_counts, d_totals);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
