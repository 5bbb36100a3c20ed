// SPDX-License-Identifier: Apache-2.0
// Sorts of scan-check on a device: keys of several fields.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void sort_records_on_device(device_case const& one) { sort_items<key_record>(one); }

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
