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
#include <libscan/host/on_queue.hpp>

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

template <class Sample>
void compiled_histogram<Sample>::enqueue(device_queue const& queue,
                                         histogram_call<Sample> const& call) {
  queue_place const place = detail::place_of(queue);
  detail::on_machine_of(queue.on, call.n, [&]<class Machine>(Machine on) {
    device_histogram<Machine, Sample>::enqueue(on, place, call);
  });
}

template <class Sample>
std::size_t compiled_histogram<Sample>::enqueued_bytes(engine const& on, index_t n, int bins,
                                                       histogram_kind kind) {
  return detail::on_machine_of<std::size_t>(on, n, [&]<class Machine>(Machine) {
    return device_histogram<Machine, Sample>::workspace_bytes(n, bins, kind);
  });
}

}  // namespace libscan::inline v1::detail
