// SPDX-License-Identifier: Apache-2.0
// The histogram of the host API on a machine with kernels, in plain C++; histogram_device.cuh
// implements it. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <libscan/histogram.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// The histogram on a `cuda_device` or an `executor_run`; compiled for every item type and the
/// halves.
///
/// `enqueue` is asynchronous, on device memory. Otherwise all pointers are to host memory, also the
/// edges of the rule, and checked, and each function returns when its output is complete. All leave
/// the thread's current device unchanged. Throws
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class Sample>
struct device_histogram {
  static sample_totals count(Machine on, Sample const* samples, index_t n,
                             any_bins<Sample> const& bins, std::uint64_t* counts);
  static sample_totals sum(Machine on, Sample const* samples, double const* weights, index_t n,
                           any_bins<Sample> const& bins, double* sums);

  static void enqueue(Machine on, queue_place const& place, histogram_call<Sample> const& call);

  /// Bytes of workspace that a histogram of n samples needs.
  static std::size_t workspace_bytes(index_t n, int bins, histogram_kind kind);
};

/// The bins that are not empty, ascending, and their counts, all in device memory: on such a
/// machine, asynchronous.
template <class Machine>
struct device_full_bins {
  static void enqueue(Machine on, queue_place const& place, std::uint64_t const* all, int bins,
                      index_t* full, std::uint64_t* counts, index_t* d_full);
  /// Bytes of workspace that it needs.
  static std::size_t workspace_bytes(int bins);
};

}  // namespace libscan::inline v1::detail
