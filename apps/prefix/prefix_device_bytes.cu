// SPDX-License-Identifier: Apache-2.0
// The strategies of scan-prefix with accumulators of 8 and 16 bits.
#include <apps/prefix/prefix_device_scan.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

template void prefix_on_device<std::int8_t>(prefix_call const&, scan_strategy);
template void prefix_on_device<std::uint8_t>(prefix_call const&, scan_strategy);
template void prefix_on_device<std::int16_t>(prefix_call const&, scan_strategy);
template void prefix_on_device<std::uint16_t>(prefix_call const&, scan_strategy);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
