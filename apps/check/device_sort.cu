// SPDX-License-Identifier: Apache-2.0
// Sorts of scan-check on a device: integer keys of up to 4 bytes, and the dispatch to the others.
#include <apps/check/device_sort.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

void sort_on_device(device_case const& one) {
  bool const segments = one.in.where.has(slot::places);
  if (one.c.what == task::split_by_key) return group_on_device(one);
  if (one.c.keys == key_kind::record) return sort_records_on_device(one);
  switch (one.c.type) {
    case dtype::u8:
      return sort_items<std::uint8_t>(one);
    case dtype::i32:
      return segments ? sort_segments<std::int32_t>(one) : sort_items<std::int32_t>(one);
    case dtype::u64:
    case dtype::f64:
      return sort_words_on_device(one);
    default:
      return sort_floats_on_device(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
