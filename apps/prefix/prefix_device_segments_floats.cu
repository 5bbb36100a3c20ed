// SPDX-License-Identifier: Apache-2.0
// The segmented scans of scan-prefix with accumulators that are floating-point numbers.
#include <apps/prefix/prefix_device_segments.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

template void segmented_prefix_on_device<float>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<double>(prefix_call const&, std::uint32_t const*);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
