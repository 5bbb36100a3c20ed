// SPDX-License-Identifier: Apache-2.0
// The counts of scan-histogram by a selected algorithm, in plain C++; histogram_by.cuh implements
// those that the host API does not have.
#pragma once

#include <cstdint>
#include <span>

#include <libscan/core/name_table.hpp>
#include <libscan/histogram.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

/// The histograms of a device. `shared`: production; atomics on counters of each block.
/// `sorted`: the textbook's; a sort of the samples' places, and a scan of where runs begin.
/// `counted`: a counting barrier for each bin and tile, as in the Fermi chapter; for few bins.
enum class histogram_algorithm : std::uint8_t { shared, sorted, counted };

/// Their names.
inline constexpr name_table<histogram_algorithm, 3, 3> histogram_algorithm_names{
    "algorithm of a histogram",
    {"shared", "sorted", "counted"},
    {{{"privatized", "shared"}, {"sort-and-scan", "sorted"}, {"block-count", "counted"}}}};

/// What `histogram_by` runs on a `cuda_device` or an `executor_run`; compiled for each type of
/// sample.
template <class Machine, class Sample>
struct device_histogram_by {
  static sample_totals count(Machine on, histogram_algorithm which, std::span<Sample const> samples,
                             libscan::detail::any_bins<Sample> const& bins, std::uint64_t* counts);
};

/// `histogram` by `which`, for all types of items, on an engine that runs kernels.
/// Throws: as `histogram`; `invalid_argument` for the cpu engine, and by `counted` for more than
/// `max_counted_bins` bins.
template <class Sample, class Rule>
sample_totals histogram_by(engine const& on, histogram_algorithm which,
                           std::span<Sample const> samples, std::span<index_t> counts,
                           Rule const& rule) {
  if (which == histogram_algorithm::shared) return histogram(on, samples, counts, rule);
  libscan::detail::check_bin_capacity("histogram", counts.size(), rule.bins());
  auto* const counters = reinterpret_cast<std::uint64_t*>(counts.data());
  return libscan::detail::with_compiled_rule(rule, [&](auto const& bins) {
    return libscan::detail::on_engine(
        on, static_cast<index_t>(samples.size()),
        [&](auto device) {
          return device_histogram_by<decltype(device), Sample>::count(device, which, samples, bins,
                                                                      counters);
        },
        [](int) -> sample_totals {
          throw invalid_argument("histogram_by: the cpu engine; expected one that runs kernels");
        });
  });
}

}  // namespace libscan::apps
