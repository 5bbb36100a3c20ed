// SPDX-License-Identifier: Apache-2.0
// Sorts of scan-check on a device: integer keys of 8 bytes.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void sort_words_on_device(device_case const& one) { sort_items<std::uint64_t>(one); }

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
