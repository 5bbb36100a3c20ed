// SPDX-License-Identifier: Apache-2.0
// Sorts of scan-check on a device: keys of 8 bytes.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void sort_words_on_device(device_case const& one) {
  if (one.c.type == dtype::f64) return sort_items<double>(one);
  sort_items<std::uint64_t>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
