// SPDX-License-Identifier: Apache-2.0
// Filters of scan-check on a device.
#include <apps/check/device_case.cuh>
#include <libscan/filter.cuh>
#include <libscan/runs.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

template <class Tuning, class T>
void filter_with(device_case const& one) {
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  auto* const places = one.out.at<index_t>(slot::places);
  auto* const kept = one.out.at<index_t>(slot::count);
  is_below<T> const below{threshold_of<T>(one.c)};
  auto const* const flags = one.in.at<std::uint8_t>(slot::flags);
  auto const* const words = one.in.at<std::uint32_t>(slot::bits);
  item_count const n = one.count();
  switch (one.c.what) {
    case task::filter_if:
      return filter<Tuning>(one.ws, in, out, n, below, kept);
    case task::filter_flagged:
      return filter<Tuning>(one.ws, in, out, n, byte_mask{flags}, kept);
    case task::filter_masked:
      return filter<Tuning>(one.ws, in, out, n, bit_mask{words}, kept);
    case task::positions_if:
      return filter_indices<Tuning>(one.ws, in, places, n, below, kept);
    case task::positions_flagged:
      return mask_indices<Tuning>(one.ws, byte_mask{flags}, places, n, kept);
    case task::positions_masked:
      return mask_indices<Tuning>(one.ws, bit_mask{words}, places, n, kept);
    case task::indexed_if:
      return filter_with_indices<Tuning>(one.ws, in, out, places, n, below, kept);
    case task::indexed_flagged:
      return filter_with_indices<Tuning>(one.ws, in, out, places, n, byte_mask{flags}, kept);
    case task::indexed_masked:
      return filter_with_indices<Tuning>(one.ws, in, out, places, n, bit_mask{words}, kept);
    case task::count_if:
      return libscan::count_if<Tuning>(one.ws, in, n, below, kept);
    case task::unique:
      return unique<Tuning>(one.ws, in, out, n, kept);
    default:
      return run_length_encode<Tuning>(one.ws, in, out, one.out.at<index_t>(slot::lengths), places,
                                       n, kept);
  }
}

template <class T>
void filter_items(device_case const& one) {
  with_tuning<tiny_tuning, tiny_pipeline_tuning>(
      one.c, [&]<class Tuning>(std::type_identity<Tuning>) { filter_with<Tuning, T>(one); });
}

}  // namespace

void filter_on_device(device_case const& one) {
  if (one.c.type == dtype::u8) return filter_items<std::uint8_t>(one);
  if (one.c.type == dtype::f64) return filter_items<double>(one);
  filter_items<std::int32_t>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
