// SPDX-License-Identifier: Apache-2.0
// The segmented scans of scan-prefix with accumulators that are integers of 1 and 2 bytes.
#include <apps/prefix/prefix_device_segments.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

template void segmented_prefix_on_device<std::int8_t>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<std::uint8_t>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<std::int16_t>(prefix_call const&, std::uint32_t const*);
template void segmented_prefix_on_device<std::uint16_t>(prefix_call const&, std::uint32_t const*);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
