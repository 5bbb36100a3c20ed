// SPDX-License-Identifier: Apache-2.0
// Sorts of scan-check on a device: floating-point keys of up to 4 bytes.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void sort_floats_on_device(device_case const& one) {
  if (one.c.type == dtype::f32) return sort_items<float>(one);
  if (one.in.where.has(slot::places)) return sort_segments<float16>(one);
  sort_items<float16>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
