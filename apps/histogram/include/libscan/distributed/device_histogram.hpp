// SPDX-License-Identifier: Apache-2.0
// The histogram over ranks of samples in device memory. Otherwise as histogram.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <libscan/distributed/device_scan.hpp>
#include <libscan/distributed/histogram.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1 {

namespace detail {

// A device writes the totals where the host reads counters.
static_assert(sizeof(sample_totals) == total_counters * sizeof(index_t));

}  // namespace detail

/// counts[b] = the number of samples of all ranks in bin b of `rule`, on every rank. `counts` has
/// space for all bins, in device memory.
/// Result: how many samples of all ranks are below the bins, inside, above, and NaN.
/// Types: as `histogram` of histogram_device_calls.hpp. All ranks pass the same rule.
/// Synchronization: collective, on the queue's stream; returns when `counts` are complete. They are
/// added up in host memory.
/// Throws: `invalid_argument` on a rank whose engine is cpu, or whose `counts` are null, on all
/// ranks if their rules have different numbers of bins; what the local call throws there, and
/// `remote_error` on all others; `communicator_lost`.
template <class Sample, class Rule>
sample_totals histogram(ranks const& on, device_span<Sample> samples, std::uint64_t* counts,
                        Rule const& rule) {
  return detail::collective(on.comm(), "histogram", [&](detail::collective_call& call) {
    auto const bins = static_cast<std::size_t>(rule.bins());
    std::vector<index_t> all;
    auto const totals = detail::add_histograms(call, rule.bins(), all, [&](std::span<index_t> own) {
      detail::check_device_items(on, samples);
      if (counts == nullptr) {
        throw invalid_argument("histogram: counts are null; expected space for all bins");
      }
      detail::device_array<index_t> const counters(on.queue(), std::ssize(own));
      auto* const d_totals = reinterpret_cast<sample_totals*>(counters.data() + bins);
      libscan::histogram(on.queue(), samples, reinterpret_cast<std::uint64_t*>(counters.data()),
                         rule, d_totals);
      counters.download(own);
    });
    call.agree("results", [&] {
      detail::copy(on.queue(), counts, all.data(), bins * sizeof(index_t));
      detail::synchronize(on.queue());
    });
    return totals;
  });
}

}  // namespace libscan::inline v1
