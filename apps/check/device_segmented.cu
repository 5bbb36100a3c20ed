// SPDX-License-Identifier: Apache-2.0
// Segmented scans of scan-check on a device.
#include <apps/check/device_case.cuh>
#include <apps/check/device_operators.cuh>
#include <libscan/segmented_scan.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

template <class T, class Heads>
void scan_segments(device_case const& one, Heads heads) {
  check_case const& c = one.c;
  T* const out = one.out.at<T>(slot::items);
  T const init = init_of<T>(c);
  typename segment_operator<T>::type const op;
  with_tuning<tiny_tuning, tiny_pipeline_tuning>(c, [&]<class Tuning>(std::type_identity<Tuning>) {
    if (c.kind == scan_kind::inclusive) {
      inclusive_segmented_scan<Tuning>(one.ws, one.items<T>(), out, heads, one.count(), op, init);
    } else {
      exclusive_segmented_scan<Tuning>(one.ws, one.items<T>(), out, heads, one.count(), op, init);
    }
  });
}

template <class T>
void scan_with_heads(device_case const& one) {
  switch (one.c.what) {
    case task::segmented_by_flags:
      return scan_segments<T>(one, head_flags{one.in.at<std::uint8_t>(slot::flags)});
    case task::segmented_by_bits:
      return scan_segments<T>(one, head_bits{one.in.at<std::uint32_t>(slot::bits)});
    case task::segmented_by_offsets:
      return scan_segments<T>(one, segment_offsets<index_t>{one.in.at<index_t>(slot::places),
                                                            one.in.size(slot::places) - 1});
    default:
      return scan_segments<T>(
          one, segment_keys<std::int32_t const*>{one.in.at<std::int32_t>(slot::keys)});
  }
}

}  // namespace

void segmented_scan_on_device(device_case const& one) {
  if (one.c.type == dtype::i16) return scan_with_heads<std::int16_t>(one);
  if (one.c.type == dtype::u64) return scan_with_heads<std::uint64_t>(one);
  scan_with_heads<float>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
