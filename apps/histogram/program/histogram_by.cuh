// SPDX-License-Identifier: Apache-2.0
// The implementation of histogram_by.hpp: host memory in, kernels, host memory out. Compiled for
// some types of sample in each translation unit.
#pragma once

#include <apps/histogram/host/histogram_device.cuh>
#include <apps/histogram/program/histogram_by.hpp>

namespace libscan::apps {

/// See histogram_by.hpp.
template <class Machine, class Sample>
sample_totals device_histogram_by<Machine, Sample>::count(
    Machine on, histogram_algorithm which, std::span<Sample const> samples,
    libscan::detail::any_bins<Sample> const& bins, std::uint64_t* counts) {
  device::on_machine const here(on);
  auto const n = static_cast<index_t>(samples.size());
  return libscan::detail::copied_histogram(samples.data(), n, bins, [&](auto const& call) {
    device::transfer_buffer<std::uint64_t> const out(libscan::detail::bins_of(bins));
    workspace ws;
    std::visit(
        [&](auto const& rule) {
          if (which == histogram_algorithm::counted) {
            libscan::counted_histogram(ws, call.samples, n, rule, out.data(), call.d_totals);
          } else {
            libscan::sorted_histogram(ws, call.samples, out.data(), rule, n, call.d_totals);
          }
        },
        call.bins);
    out.read_sync(counts, out.size());
  });
}

}  // namespace libscan::apps
