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
  return libscan::detail::filled_on_device(
      samples.data(), n, bins, counts,
      [&](workspace& ws, Sample const* in, auto const& rule, std::uint64_t* out,
          sample_totals* totals) {
        if (which == histogram_algorithm::counted) {
          libscan::counted_histogram(ws, in, n, rule, out, totals);
        } else {
          libscan::sorted_histogram(ws, in, out, rule, n, totals);
        }
      });
}

}  // namespace libscan::apps
