// SPDX-License-Identifier: Apache-2.0
// The histogram of an array that is spread over ranks: each rank counts its samples, and the counts
// are added up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/histogram.hpp>

namespace libscan::inline v1 {

/// Counts the samples of all ranks in each bin of `rule`. All ranks pass the same rule, and get the
/// same counts in the front of `counts`.
/// Result: how many samples of all ranks are below the bins, inside, above, and NaN.
/// Types: as `histogram` on an engine.
/// Determinism: exact; the result does not depend on the number of ranks.
/// Memory: 8 bytes per bin besides those of `histogram`.
/// Synchronization: collective; the ranks add up bins + 4 counters, in rounds of 16 MiB.
/// Throws: as `histogram` on an engine; `invalid_argument` on all ranks if their rules have
/// different numbers of bins, or a bin has more samples than a counter holds; `remote_error` if
/// another rank failed; `communicator_lost`.
template <host_items Samples, class Rule, host_output Counts>
sample_totals histogram(ranks const& on, Samples const& samples, Counts&& counts,
                        Rule const& rule) {
  std::span const to{static_cast<Counts&&>(counts)};
  using count = typename decltype(to)::value_type;
  static_assert(std::is_integral_v<count> && (sizeof(count) == 4 || sizeof(count) == 8),
                "histogram: counts are integers of 32 or 64 bits");
  return detail::collective(on.comm(), "histogram", [&](detail::collective_call& call) {
    auto const bins = static_cast<std::size_t>(rule.bins());
    std::vector<index_t> all;
    auto const found = call.gather("local counts", [&] {
      detail::check_bin_room("histogram", to.size(), rule.bins());
      all.resize(bins + 4);
      sample_totals const mine = libscan::histogram(on.local(), samples, all, rule);
      index_t const totals[] = {mine.below, mine.inside, mine.above, mine.nan};
      std::ranges::copy(totals, all.end() - 4);
      return rule.bins();
    });
    call.agree("rules", [&] {
      if (std::ranges::count(found, found[0]) == std::ssize(found)) return;
      throw invalid_argument("histogram: the ranks' rules have different numbers of bins");
    });
    call.through().sum(call.at("counts"), all, summed_ranks::all);
    call.agree("results", [&] {
      index_t const most = *std::max_element(all.begin(), all.end() - 4);
      if (std::in_range<count>(most)) return;
      throw invalid_argument("histogram: a bin has " + std::to_string(most) +
                             " samples, more than a counter holds");
    });
    std::ranges::transform(std::span(all).first(bins), to.begin(),
                           [](index_t n) { return static_cast<count>(n); });
    return sample_totals{all[bins], all[bins + 1], all[bins + 2], all[bins + 3]};
  });
}

}  // namespace libscan::inline v1
