// SPDX-License-Identifier: Apache-2.0
// Splits by key of scan-check on a device.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void group_on_device(device_case const& one) {
  if (one.c.type == dtype::u64) return group_items<std::uint64_t>(one);
  group_items<std::int32_t>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
