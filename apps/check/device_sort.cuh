// SPDX-License-Identifier: Apache-2.0
// The definition behind `sort_on_device` for one type of key, so that several files share the work.
#pragma once

#include <apps/check/device_case.cuh>
#include <apps/radix_sort/radix_sort.cuh>
#include <apps/radix_sort/segmented_sort.cuh>
#include <apps/radix_sort/split_by_key.cuh>
#include <apps/radix_sort/tiny_tuning.hpp>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// The order of a case.
template <class Key>
sort_order<Key> order_of(check_case const& c) {
  return {c.descending ? sort_direction::descending : sort_direction::ascending, c.first_bit,
          c.end_bit};
}

/// Sorts keys, with or without values, or their positions.
template <class Key>
void sort_items(device_case const& one) {
  check_case const& c = one.c;
  auto const order = order_of<Key>(c);
  Key* const out = one.out.at<Key>(slot::items);
  with_tuning<tiny_passes, tiny_staged_passes<>, tiny_cluster_sort<>>(
      c, [&]<class Tuning>(std::type_identity<Tuning>) {
        switch (c.what) {
          case task::sort_keys:
            return sort_keys<Tuning>(one.ws, one.items<Key>(), out, one.count(), order);
          case task::sort_pairs:
            return sort_pairs<Tuning>(one.ws, one.items<Key>(), out, one.values(),
                                      one.out.at<std::uint32_t>(slot::values), one.count(), order);
          default:
            return argsort<Tuning>(one.ws, one.items<Key>(), one.out.at<index_t>(slot::places),
                                   one.count(), order);
        }
      });
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
    segmented_sort_pairs<Tuning>(one.ws, one.items<Key>(), out, one.values(),
                                 one.out.at<std::uint32_t>(slot::values), c.n, offsets, segments,
                                 order);
  });
}

/// Groups by bucket.
template <class Key>
void group_items(device_case const& one) {
  check_case const& c = one.c;
  bucket_by_value<Key> const bucket{static_cast<unsigned>(c.buckets)};
  with_tuning<tiny_passes, tiny_staged_passes<>, tiny_cluster_sort<>>(
      c, [&]<class Tuning>(std::type_identity<Tuning>) {
        split_by_key<Tuning>(one.ws, one.items<Key>(), one.out.at<Key>(slot::items), one.values(),
                             one.out.at<std::uint32_t>(slot::values), one.count(), c.buckets,
                             one.out.at<index_t>(slot::places), bucket);
      });
}

/// Runs a case of `family::sort` with keys of 8 bytes.
void sort_words_on_device(device_case const& one);

/// Runs a case of `family::sort` with floating-point keys.
void sort_floats_on_device(device_case const& one);

/// Runs `task::split_by_key`.
void group_on_device(device_case const& one);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
