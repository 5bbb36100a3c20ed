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

namespace detail {

/// Adds up the counts of all ranks: local(all) sets all[b] for `bins` bins, and then four totals.
/// Throws `invalid_argument` on all ranks if their numbers of bins differ.
template <class Local>
sample_totals add_histograms(collective_call& call, int bins, std::vector<index_t>& all,
                             Local const& local) {
  auto const found = call.gather("local counts", [&] {
    all.resize(static_cast<std::size_t>(bins) + 4);
    sample_totals const mine = local(std::span(all).first(static_cast<std::size_t>(bins)));
    index_t const totals[] = {mine.below, mine.inside, mine.above, mine.nan};
    std::ranges::copy(totals, all.end() - 4);
    return bins;
  });
  call.agree("rules", [&] {
    if (std::ranges::count(found, found[0]) == std::ssize(found)) return;
    throw invalid_argument("histogram: the ranks' rules have different numbers of bins");
  });
  call.through().sum(call.at("counts"), all, summed_ranks::all);
  auto const totals = std::span(all).last(4);
  return {totals[0], totals[1], totals[2], totals[3]};
}

}  // namespace detail

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
    auto const totals = detail::add_histograms(call, rule.bins(), all, [&](std::span<index_t> own) {
      detail::check_bin_capacity("histogram", to.size(), rule.bins());
      return libscan::histogram(on.local(), samples, own, rule);
    });
    call.agree("results", [&] {
      index_t const max_count = *std::max_element(all.begin(), all.end() - 4);
      if (std::in_range<count>(max_count)) return;
      throw invalid_argument("histogram: a bin has " + std::to_string(max_count) +
                             " samples, more than a counter holds");
    });
    std::ranges::transform(std::span(all).first(bins), to.begin(),
                           [](index_t n) { return static_cast<count>(n); });
    return totals;
  });
}

}  // namespace libscan::inline v1
