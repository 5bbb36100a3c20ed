// SPDX-License-Identifier: Apache-2.0
// The histogram of the host API on a machine with kernels, in plain C++; histogram_device.cuh
// implements it. Internal.
#pragma once

#include <libscan/histogram.hpp>

namespace libscan::inline v1::detail {

/// The histogram on a `cuda_device` or an `executor_run`; compiled for every item type and the
/// halves.
///
/// All pointers are to host memory, also the edges of the rule, and checked. Each function returns
/// when its output is complete, and leaves the thread's current device unchanged. Throws
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class Sample>
struct device_histogram {
  static sample_totals count(Machine on, Sample const* samples, index_t n,
                             any_bins<Sample> const& bins, std::uint64_t* counts);
  static sample_totals sum(Machine on, Sample const* samples, double const* weights, index_t n,
                           any_bins<Sample> const& bins, double* sums);
};

}  // namespace libscan::inline v1::detail
