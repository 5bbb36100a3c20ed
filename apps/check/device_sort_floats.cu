// SPDX-License-Identifier: Apache-2.0
// Sorts of scan-check on a device: floating-point keys.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void sort_floats_on_device(device_case const& one) { sort_items<float>(one); }

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
