// SPDX-License-Identifier: Apache-2.0
// Splits of scan-check on a device.
#include <apps/check/device_case.cuh>
#include <libscan/split.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

template <class Tuning, class T>
void split_with(device_case const& one) {
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  T* const others = one.out.at<T>(slot::others);
  auto* const kept = one.out.at<index_t>(slot::count);
  is_below<T> const below{threshold_of<T>(one.c)};
  item_count const n = one.count();
  switch (one.c.what) {
    case task::split_if:
      return split<Tuning>(one.ws, in, out, others, n, below, kept);
    case task::split_flagged:
      return split<Tuning>(one.ws, in, out, others, n,
                           byte_mask{one.in.at<std::uint8_t>(slot::flags)}, kept);
    case task::split_masked:
      return split<Tuning>(one.ws, in, out, others, n,
                           bit_mask{one.in.at<std::uint32_t>(slot::bits)}, kept);
    case task::split_into_one:
      return split<Tuning>(one.ws, in, out, n, below, kept);
    default:
      return split_by_bit<Tuning>(one.ws, in, out, n, split_bit(one.c), kept);
  }
}

template <class T>
void split_items(device_case const& one) {
  with_tuning<tiny_tuning, tiny_pipeline_tuning>(
      one.c, [&]<class Tuning>(std::type_identity<Tuning>) { split_with<Tuning, T>(one); });
}

}  // namespace

void split_on_device(device_case const& one) {
  if (one.c.type == dtype::i16) return split_items<std::int16_t>(one);
  if (one.c.type == dtype::u64) return split_items<std::uint64_t>(one);
  split_items<std::int32_t>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
