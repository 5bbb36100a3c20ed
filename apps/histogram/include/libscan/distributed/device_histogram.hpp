// SPDX-License-Identifier: Apache-2.0
// The histogram over ranks of samples in device memory. Otherwise as histogram.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <libscan/distributed/device_scan.hpp>
#include <libscan/distributed/histogram.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1 {

/// counts[b] = the number of samples of all ranks in bin b of `rule`, on every rank. `counts` has
/// space for all bins, in device memory.
/// Result: how many samples of all ranks are below the bins, inside, above, and NaN.
/// Types: as `histogram` of histogram_device_calls.hpp. All ranks pass the same rule.
/// Synchronization: collective, on the queue's stream; counts are added up in host memory.
/// Throws: `invalid_argument` on a rank whose engine is cpu, on all ranks if their rules have
/// different numbers of bins; what the local call throws there, and `remote_error` on all others;
/// `communicator_lost`.
template <class Sample, class Rule>
sample_totals histogram(ranks const& on, device_span<Sample> samples, std::uint64_t* counts,
                        Rule const& rule) {
  return detail::collective(on.comm(), "histogram", [&](detail::collective_call& call) {
    std::vector<index_t> all;
    auto const totals = detail::add_histograms(call, rule.bins(), all, [&](std::span<index_t> own) {
      detail::check_device_items(on, samples);
      detail::device_array<sample_totals> const d_totals(on.queue(), 1);
      libscan::histogram(on.queue(), samples, counts, rule, d_totals.data());
      sample_totals mine{};
      d_totals.download(std::span(&mine, 1));
      detail::copy(on.queue(), own.data(), counts, own.size_bytes());
      detail::synchronize(on.queue());
      return mine;
    });
    call.agree("results", [&] {
      detail::copy(on.queue(), counts, all.data(), (all.size() - 4) * sizeof(index_t));
      detail::synchronize(on.queue());
    });
    return totals;
  });
}

}  // namespace libscan::inline v1
