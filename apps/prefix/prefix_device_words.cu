// SPDX-License-Identifier: Apache-2.0
// The strategies of scan-prefix with integer accumulators of 32 and 64 bits.
#include <apps/prefix/prefix_device_scan.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

template void prefix_on_device<std::int32_t>(prefix_call const&, scan_strategy);
template void prefix_on_device<std::uint32_t>(prefix_call const&, scan_strategy);
template void prefix_on_device<std::int64_t>(prefix_call const&, scan_strategy);
template void prefix_on_device<std::uint64_t>(prefix_call const&, scan_strategy);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
