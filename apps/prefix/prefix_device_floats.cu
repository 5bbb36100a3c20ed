// SPDX-License-Identifier: Apache-2.0
// The strategies of scan-prefix with floating-point accumulators.
#include <apps/prefix/prefix_device_scan.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

template void prefix_on_device<float>(prefix_call const&, scan_strategy);
template void prefix_on_device<double>(prefix_call const&, scan_strategy);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
