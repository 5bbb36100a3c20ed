// SPDX-License-Identifier: Apache-2.0
// The implementation of histogram_device.hpp: host memory in, the kernels of histogram.cuh, host
// memory out. Included by the files that compile it for some types of sample each. Internal.
#pragma once

#include <span>

#include <apps/histogram/host/histogram_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/sorted_histogram.cuh>

namespace libscan::inline v1::detail {

/// n items on the device.
template <class T>
device::buffer<T> histogram_input(T const* items, index_t n) {
  return device::buffer<T>(std::span<T const>(items, static_cast<std::size_t>(n)));
}

/// call(rule) with a rule whose edges are on the device.
template <class Rule, class Call>
void with_device_rule(Rule const& rule, Call call) {
  call(rule);
}
template <class Sample, class Edge, class Call>
void with_device_rule(edge_bins<Sample, Edge> const& rule, Call call) {
  auto const edges = histogram_input(rule.edges(), index_t{rule.bins()} + 1);
  call(edge_bins<Sample, Edge>(edges.data(), rule.bins()));
}

/// Calls call(ws, samples, rule, results, totals), which fills the results, all of them on the
/// device.
template <class Sample, class Result, class Call>
sample_totals filled_on_device(Sample const* samples, index_t n, any_bins<Sample> const& bins,
                               Result* results, Call call) {
  auto const in = histogram_input(samples, n);
  device::buffer<sample_totals> const d_totals(1);
  sample_totals totals;
  auto const by = [&](auto const& rule) {
    device::buffer<Result> const out(rule.bins());
    workspace ws;
    call(ws, static_cast<Sample const*>(in.data()), rule, out.data(), d_totals.data());
    out.read_sync(results, rule.bins());
    d_totals.read_sync(&totals, 1);
  };
  std::visit([&](auto const& rule) { with_device_rule(rule, by); }, bins);
  return totals;
}

template <class Machine, class Sample>
sample_totals device_histogram<Machine, Sample>::count(Machine on, Sample const* samples, index_t n,
                                                       any_bins<Sample> const& bins,
                                                       std::uint64_t* counts) {
  device::on_machine const here(on);
  return filled_on_device(
      samples, n, bins, counts,
      [n](workspace& ws, Sample const* in, auto const& rule, std::uint64_t* out,
          sample_totals* totals) { libscan::histogram(ws, in, out, rule, n, totals); });
}

template <class Machine, class Sample>
sample_totals device_histogram<Machine, Sample>::sum(Machine on, Sample const* samples,
                                                     double const* weights, index_t n,
                                                     any_bins<Sample> const& bins, double* sums) {
  device::on_machine const here(on);
  auto const with = histogram_input(weights, n);
  return filled_on_device(
      samples, n, bins, sums,
      [&](workspace& ws, Sample const* in, auto const& rule, double* out, sample_totals* totals) {
        libscan::weighted_histogram(ws, in, static_cast<double const*>(with.data()), out, rule, n,
                                    totals);
      });
}

}  // namespace libscan::inline v1::detail
