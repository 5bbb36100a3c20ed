// SPDX-License-Identifier: Apache-2.0
// The plain C++ facade of what is near to a filter: filters by masks, splits, and runs of equal
// items. As filter.hpp, on whichever engine there is; link libscan::filter.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>

#include <apps/filter/item_mask.hpp>
#include <apps/filter/predicate.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

namespace detail {

/// What the functions below call; compiled for the ten arithmetic types. Splits without `rejected`
/// write both parts to `out`.
template <class T>
struct selection {
  static_assert(detail::refuse_others<T>());

  static index_t filter(engine const& on, std::span<T const> values, std::span<T> out,
                        item_mask const& mask);
  static index_t filter_with_indices(engine const& on, std::span<T const> values, std::span<T> out,
                                     std::span<index_t> indices, item_mask const& mask);
  static index_t split(engine const& on, std::span<T const> values, std::span<T> out,
                       std::optional<std::span<T>> rejected, predicate<T> const& keep);
  static index_t split(engine const& on, std::span<T const> values, std::span<T> out,
                       std::optional<std::span<T>> rejected, item_mask const& mask);
  static index_t unique(engine const& on, std::span<T const> values, std::span<T> out);
  static index_t run_length_encode(engine const& on, std::span<T const> values, std::span<T> out,
                                   std::span<index_t> lengths);
};

/// The split by a bit; compiled for unsigned integers of 8 to 64 bits.
template <class Word>
index_t split_words(engine const& on, std::span<Word const> keys, std::span<Word> out, int bit);

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

/// Copies the items of `values` that `mask` marks to the front of `out` and their positions to the
/// front of `indices`, and returns how many they are. T has to be named, as for `filter`. The
/// outputs must lie apart from `values`, the mask and each other. All else as `filter`, for each of
/// them.
template <class T>
index_t filter_with_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                            std::type_identity_t<std::span<T>> out, std::span<index_t> indices,
                            item_mask const& mask) {
  return detail::selection<T>::filter_with_indices(on, values, out, indices, mask);
}

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

/// The same into one buffer: copies the items of `values` that `keep` keeps to the front of `out`
/// and the others behind them, both in their order, and returns how many are kept. It is
/// std::stable_partition of a copy (Blelloch, "Prefix Sums and Their Applications", 1990, 1.3).
///
/// `out` must hold as many items as `values` and lie apart from them. On the cpu engine `values`
/// are read twice, since the others have their places once it is known how many are kept. Throws
/// `invalid_argument` if `out` is too short, before anything is written. All else as `filter`.
template <class T>
index_t split(engine const& on, std::type_identity_t<std::span<T const>> values,
              std::type_identity_t<std::span<T>> out, predicate<T> const& keep) {
  return detail::selection<T>::split(on, values, out, std::nullopt, keep);
}

/// The same by a mask, of as many items as `values`; it alone is read twice. `out` must lie apart
/// from it, too.
template <class T>
index_t split(engine const& on, std::type_identity_t<std::span<T const>> values,
              std::type_identity_t<std::span<T>> out, item_mask const& mask) {
  return detail::selection<T>::split(on, values, out, std::nullopt, mask);
}

/// The split of a radix sort: copies the keys whose bit `bit` (0: the lowest) is 0 to the front of
/// `out` and those in which it is 1 behind them, both in their order, and returns how many the
/// former are. T is one of the eight integer types and has to be named:
///
///   auto zeros = split_by_bit<std::uint32_t>(engine::best(), keys, out, 7);
///
/// Throws `invalid_argument` for a bit that T has not. All else as `split` into one buffer.
template <std::integral T>
index_t split_by_bit(engine const& on, std::type_identity_t<std::span<T const>> keys,
                     std::type_identity_t<std::span<T>> out, int bit) {
  static_assert(detail::refuse_others<T>());
  using word = std::make_unsigned_t<T>;
  return detail::split_words<word>(on, {reinterpret_cast<word const*>(keys.data()), keys.size()},
                                   {reinterpret_cast<word*>(out.data()), out.size()}, bit);
}

/// Copies the first item of each run of equal ones (==, so that -0 equals +0 and NaN nothing) to
/// the front of `out`, in their order, and returns how many they are. All else as `filter`: `out`
/// may be `values` itself.
template <class T>
index_t unique(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out) {
  return detail::selection<T>::unique(on, values, out);
}

/// Copies what each run of equal items repeats (its first item; == as for `unique`) to the front of
/// `out` and how many items it has to the front of `lengths`, both in the order of the runs, and
/// returns how many runs there are. The lengths sum to the number of items.
///
///   auto runs = run_length_encode<float>(engine::best(), values, out, lengths);
///
/// Where the runs begin is the exclusive scan of the lengths (libscan/libscan.hpp). `out` and
/// `lengths` must hold an item for each run (as many as `values` always suffice) and lie apart from
/// each other and from `values`; what lies behind is not touched. Reads `values` once and writes
/// each output once. All else as `filter`: an output too short is an error.
template <class T>
index_t run_length_encode(engine const& on, std::type_identity_t<std::span<T const>> values,
                          std::type_identity_t<std::span<T>> out, std::span<index_t> lengths) {
  return detail::selection<T>::run_length_encode(on, values, out, lengths);
}

}  // namespace libscan::inline v1
