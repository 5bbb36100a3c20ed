// SPDX-License-Identifier: Apache-2.0
// The segmented scans of scan-prefix with accumulators that are integers of 4 and 8 bytes.
#include <apps/prefix/prefix_device_segments.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

template void segmented_prefix_on_device<std::int32_t>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<std::uint32_t>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<std::int64_t>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<std::uint64_t>(prefix_call const&, std::uint32_t const*);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
