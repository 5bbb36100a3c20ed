// SPDX-License-Identifier: Apache-2.0
// The plain C++ facade of what is near to a filter: filters by masks, splits, and the first items
// of runs of equal ones. As filter.hpp, on whichever engine there is; link libscan::filter.
#pragma once

#include <span>
#include <type_traits>

#include <apps/filter/item_mask.hpp>
#include <apps/filter/predicate.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

namespace detail {

/// What the functions below call; compiled for the ten arithmetic types.
template <class T>
struct selection {
  static index_t filter(engine const& on, std::span<T const> values, std::span<T> out,
                        item_mask const& mask);
  static index_t split(engine const& on, std::span<T const> values, std::span<T> out,
                       std::span<T> rejected, predicate<T> const& keep);
  static index_t split(engine const& on, std::span<T const> values, std::span<T> out,
                       std::span<T> rejected, item_mask const& mask);
  static index_t unique(engine const& on, std::span<T const> values, std::span<T> out);
};

}  // namespace detail

/// Copies the items of `values` that `mask` marks to the front of `out`, in their order, and
/// returns how many they are. T has to be named, since vectors do not tell it:
///
///   auto kept = filter<float>(engine::best(), values, out, item_mask::of_flags(flags));
///
/// `out` may be `values` itself; it must lie apart from the mask. Throws `invalid_argument` if
/// `mask` has another number of items than `values`. All else, errors too, as `filter` of a
/// predicate (filter.hpp).
template <class T>
index_t filter(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, item_mask const& mask) {
  return detail::selection<T>::filter(on, values, out, mask);
}

/// Writes the positions (from 0) of the items that `mask` marks to the front of `out`, ascending,
/// and returns how many they are: numpy.flatnonzero. Errors as for `filter`.
index_t mask_indices(engine const& on, item_mask const& mask, std::span<index_t> out);

/// How many items `mask` marks. Throws as `filter`, for the reasons of devices and memory.
index_t count_marked(engine const& on, item_mask const& mask);

/// Copies the items of `values` that `keep` keeps to the front of `out` and the others to the front
/// of `rejected`, both in their order, and returns how many are kept.
///
/// Both must hold what goes there (as many items as `values` always suffice), and lie apart from
/// each other and from `values`. Reads `values` once and writes each item once. All else as
/// `filter`: an output too short is an error, and nothing behind it is touched.
template <class T>
index_t split(engine const& on, std::type_identity_t<std::span<T const>> values,
              std::type_identity_t<std::span<T>> out, std::type_identity_t<std::span<T>> rejected,
              predicate<T> const& keep) {
  return detail::selection<T>::split(on, values, out, rejected, keep);
}

/// The same by a mask, of as many items as `values`.
template <class T>
index_t split(engine const& on, std::type_identity_t<std::span<T const>> values,
              std::type_identity_t<std::span<T>> out, std::type_identity_t<std::span<T>> rejected,
              item_mask const& mask) {
  return detail::selection<T>::split(on, values, out, rejected, mask);
}

/// Copies the first item of each run of equal ones (==, so that -0 equals +0 and NaN nothing) to
/// the front of `out`, in their order, and returns how many they are. `out` must lie apart from
/// `values`. All else as `filter`.
template <class T>
index_t unique(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out) {
  return detail::selection<T>::unique(on, values, out);
}

}  // namespace libscan::inline v1
