// SPDX-License-Identifier: Apache-2.0
// What the CUDA side provides for the host API of the histogram: plain C++, implemented by
// histogram_cuda.cuh in a build with nvcc. Internal.
#pragma once

#include <libscan/histogram.hpp>

namespace libscan::inline v1::detail {

/// The histogram on CUDA device `device`; compiled for every item type and the halves.
///
/// All pointers are to host memory, also the edges of the rule, and checked. Each function returns
/// when its output is complete, and leaves the thread's current device unchanged. Throws
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Sample>
struct cuda_histogram {
  static sample_totals count(int device, Sample const* samples, index_t n,
                             any_bins<Sample> const& bins, std::uint64_t* counts);
  static sample_totals sum(int device, Sample const* samples, double const* weights, index_t n,
                           any_bins<Sample> const& bins, double* sums);
};

}  // namespace libscan::inline v1::detail
