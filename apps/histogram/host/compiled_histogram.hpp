// SPDX-License-Identifier: Apache-2.0
// The compiled half of the histogram's host API: passes a call to its engine. Included by the files
// that compile it for some types of sample each. Internal.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <apps/histogram/host/histogram_device.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/histogram.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1::detail {

template <class Sample>
sample_totals compiled_histogram<Sample>::count(engine const& on, Sample const* samples, index_t n,
                                                any_bins<Sample> const& bins,
                                                std::uint32_t* counts) {
  return detail::on_engine(
      on, n,
      [&](auto device) {
        int const places = std::visit([](auto const& rule) { return rule.bins(); }, bins);
        std::vector<std::uint64_t> wide(static_cast<std::size_t>(places));
        auto const totals = device_histogram<decltype(device), Sample>::count(device, samples, n,
                                                                              bins, wide.data());
        check_counts(wide.data(), places, std::numeric_limits<std::uint32_t>::max());
        std::transform(wide.begin(), wide.end(), counts,
                       [](std::uint64_t count) { return static_cast<std::uint32_t>(count); });
        return totals;
      },
      [&](int threads) {
        return std::visit(
            [&](auto const& rule) { return cpu::histogram(threads, samples, counts, rule, n); },
            bins);
      });
}

template <class Sample>
sample_totals compiled_histogram<Sample>::count(engine const& on, Sample const* samples, index_t n,
                                                any_bins<Sample> const& bins,
                                                std::uint64_t* counts) {
  return detail::on_engine(
      on, n,
      [&](auto device) {
        return device_histogram<decltype(device), Sample>::count(device, samples, n, bins, counts);
      },
      [&](int threads) {
        return std::visit(
            [&](auto const& rule) { return cpu::histogram(threads, samples, counts, rule, n); },
            bins);
      });
}

template <class Sample>
sample_totals compiled_histogram<Sample>::sum(engine const& on, Sample const* samples,
                                              double const* weights, index_t n,
                                              any_bins<Sample> const& bins, double* sums) {
  return detail::on_engine(
      on, n,
      [&](auto device) {
        return device_histogram<decltype(device), Sample>::sum(device, samples, weights, n, bins,
                                                               sums);
      },
      [&](int threads) {
        return std::visit(
            [&](auto const& rule) {
              return cpu::weighted_histogram(threads, samples, weights, sums, rule, n);
            },
            bins);
      });
}

}  // namespace libscan::inline v1::detail
