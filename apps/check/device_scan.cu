// SPDX-License-Identifier: Apache-2.0
// Scans of scan-check on a device.
#include <apps/check/device_case.cuh>
#include <apps/check/device_operators.cuh>
#include <libscan/adjacent_difference.cuh>
#include <libscan/scan.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

template <class T>
void scan_items(device_case const& one) {
  check_case const& c = one.c;
  T* const out = one.out.at<T>(slot::items);
  if (c.what == task::difference) {
    return with_tuning<tiny_tuning>(c, [&]<class Tuning>(std::type_identity<Tuning>) {
      adjacent_difference<Tuning>(one.ws, one.items<T>(), out, one.count());
    });
  }
  T* const total = one.out.at<T>(slot::total);
  T const init = init_of<T>(c);
  typename scan_operator<T>::type const op;
  with_tuning<tiny_tuning, tiny_pipeline_tuning>(c, [&]<class Tuning>(std::type_identity<Tuning>) {
    if (c.kind == scan_kind::inclusive) {
      inclusive_scan<Tuning>(one.ws, one.items<T>(), out, one.count(), op, total, init);
    } else {
      exclusive_scan<Tuning>(one.ws, one.items<T>(), out, one.count(), op, total, init);
    }
  });
}

}  // namespace

void scan_on_device(device_case const& one) {
  switch (one.c.type) {
    case dtype::u8:
      return scan_items<std::uint8_t>(one);
    case dtype::i16:
      return scan_items<std::int16_t>(one);
    case dtype::i32:
      return scan_items<std::int32_t>(one);
    case dtype::u64:
      return scan_items<std::uint64_t>(one);
    case dtype::f32:
      return scan_items<float>(one);
    default:
      return scan_items<double>(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
