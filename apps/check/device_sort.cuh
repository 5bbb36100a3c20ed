// SPDX-License-Identifier: Apache-2.0
// The definition of `sort_on_device` for one type of key, so that several files share the work.
#pragma once

#include <apps/check/case_items.hpp>
#include <apps/check/device_case.cuh>
#include <apps/radix_sort/device/tiny_tuning.hpp>
#include <libscan/radix_sort.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/split_by_key.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// The values that move with keys of a type.
template <class Key>
using value_with = value_of<value_bytes_with<Key>()>;

/// Sorts between two buffers, and copies the result to the expected place.
template <class Tuning, class Key>
void sort_between(device_case const& one) {
  using value = value_with<Key>;
  check_case const& c = one.c;
  auto const order = order_of<Key>(c);
  auto const bring = [&]<class Item>(double_buffer<Item> const& sorted, slot to) {
    Item* const out = one.out.at<Item>(to);
    if (sorted.current == out) return;
    simt::copy_async(out, sorted.current, one.out.where[to].bytes(), one.ws.stream());
  };
  double_buffer<Key> keys{one.out.at<Key>(slot::items), one.out.at<Key>(slot::spare)};
  if (c.what == task::sort_keys) {
    sort_keys<Tuning>(one.ws, keys, one.count(), order);
  } else {
    double_buffer<value> values{one.out.at<value>(slot::values),
                                one.out.at<value>(slot::spare_values)};
    sort_pairs<Tuning>(one.ws, keys, values, one.count(), order);
    bring(values, slot::values);
  }
  bring(keys, slot::items);
}

/// Sorts keys, with or without values, or their positions.
template <class Key>
void sort_items(device_case const& one) {
  using value = value_with<Key>;
  check_case const& c = one.c;
  auto const order = order_of<Key>(c);
  Key* const out = one.out.at<Key>(slot::items);
  auto const sort = [&]<class Tuning>(std::type_identity<Tuning>) {
    if (c.two_buffers) return sort_between<Tuning, Key>(one);
    switch (c.what) {
      case task::sort_keys:
        return sort_keys<Tuning>(one.ws, one.items<Key>(), out, one.count(), order);
      case task::sort_pairs:
        return sort_pairs<Tuning>(one.ws, one.items<Key>(), out, one.values<value>(),
                                  one.out.at<value>(slot::values), one.count(), order);
      default:
        return argsort<Tuning>(one.ws, one.items<Key>(), one.out.at<index_t>(slot::places),
                               one.count(), order);
    }
  };
  if constexpr (decltype(order)::words == 1) {
    with_tuning<tiny_passes, tiny_staged_passes<>, tiny_cluster_sort<>>(c, sort);
  } else {
    with_tuning<tiny_passes>(c, sort);
  }
}

/// Sorts within segments.
template <class Key>
void sort_segments(device_case const& one) {
  check_case const& c = one.c;
  auto const order = order_of<Key>(c);
  Key* const out = one.out.at<Key>(slot::items);
  index_t const* const offsets = one.in.at<index_t>(slot::places);
  index_t const segments = one.in.size(slot::places) - 1;
  with_tuning<tiny_segmented_sort>(c, [&]<class Tuning>(std::type_identity<Tuning>) {
    if (c.what == task::sort_keys_in_segments) {
      return segmented_sort_keys<Tuning>(one.ws, one.items<Key>(), out, c.n, offsets, segments,
                                         order);
    }
    using value = value_with<Key>;
    segmented_sort_pairs<Tuning>(one.ws, one.items<Key>(), out, one.values<value>(),
                                 one.out.at<value>(slot::values), c.n, offsets, segments, order);
  });
}

/// Groups by bucket.
template <class Key>
void group_items(device_case const& one) {
  check_case const& c = one.c;
  bucket_by_value<Key> const bucket{static_cast<unsigned>(c.buckets)};
  with_tuning<tiny_passes, tiny_staged_passes<>, tiny_cluster_sort<>>(
      c, [&]<class Tuning>(std::type_identity<Tuning>) {
        using value = value_with<Key>;
        split_by_key<Tuning>(one.ws, one.items<Key>(), one.out.at<Key>(slot::items),
                             one.values<value>(), one.out.at<value>(slot::values),
                             one.out.at<index_t>(slot::places), one.count(), c.buckets, bucket);
      });
}

/// Runs a case of `family::sort` with keys of 8 bytes.
void sort_words_on_device(device_case const& one);

/// Runs a case of `family::sort` with keys of several fields.
void sort_records_on_device(device_case const& one);

/// Runs a case of `family::sort` with floating-point keys of up to 4 bytes.
void sort_floats_on_device(device_case const& one);

/// Runs `task::split_by_key`.
void group_on_device(device_case const& one);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
