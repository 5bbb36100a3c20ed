// SPDX-License-Identifier: Apache-2.0
// Masks, splits and runs in plain C++: filters by masks, splits, and runs of equal items. Like
// filter.hpp, on any engine; link libscan::filter.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>

#include <libscan/buffer.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The functions that those below call; compiled for the ten arithmetic types. Splits without
/// `rejected` write both parts to `out`.
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
  static index_t run_length_encode(engine const& on, std::span<T const> values, std::span<T> out,
                                   std::span<index_t> lengths, std::span<index_t> offsets,
                                   index_t min_length);
};

/// The split by a bit; compiled for unsigned integers of 8 to 64 bits.
template <class Word>
index_t split_words(engine const& on, std::span<Word const> keys, std::span<Word> out, int bit);

}  // namespace detail

/// Copies the items of `values` that `mask` marks to the front of `out`, in their order, and
/// returns their number. T must be named, since it cannot be deduced from vectors:
///
///   auto kept = filter<float>(engine::best(), values, out, item_mask::of_flags(flags));
///
/// Otherwise as `filter` of a predicate (filter.hpp), also in errors.
/// Aliasing: `out` may be `values` itself; it must not overlap the mask.
/// Throws: `invalid_argument` if `mask` has another number of items than `values`.
template <class T>
index_t filter(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, item_mask const& mask) {
  return detail::selection<T>::filter(on, values, out, mask);
}

/// The items that `mask` marks, in memory of their own, which is for as many items as `values`:
/// pages that are not written take none. Otherwise as the previous call.
template <class T>
buffer<T> filter(engine const& on, std::type_identity_t<std::span<T const>> values,
                 item_mask const& mask) {
  buffer<T> kept(static_cast<index_t>(values.size()));
  kept.truncate(libscan::filter<T>(on, values, {kept.data(), kept.size()}, mask));
  return kept;
}

/// Writes the positions (from 0) of the items that `mask` marks to the front of `out`, ascending,
/// and returns their number: numpy.flatnonzero. Errors as for `filter`.
index_t mask_indices(engine const& on, item_mask const& mask, std::span<index_t> out);

/// Copies the items of `values` that `mask` marks to the front of `out` and their positions to the
/// front of `indices`, and returns their number. T must be named, as for `filter`. `out` may be
/// equal to `values`; otherwise the outputs must not overlap `values`, the mask or each other.
/// Otherwise as `filter`, for each of them.
template <class T>
index_t filter_with_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                            std::type_identity_t<std::span<T>> out, std::span<index_t> indices,
                            item_mask const& mask) {
  return detail::selection<T>::filter_with_indices(on, values, out, indices, mask);
}

/// The number of items that `mask` marks. Throws as `filter` if a device or memory fails.
index_t count_marked(engine const& on, item_mask const& mask);

/// Copies the items of `values` that `keep` keeps to the front of `out`, and the others to the
/// front of `rejected`, both in their order. Returns how many are kept. Otherwise as `filter`.
///
/// Types: both outputs must have space for their items (as many as `values` always suffice). An
/// output that is too short is an error, and nothing after it is changed.
/// Aliasing: the outputs must not overlap each other or `values`.
/// Traffic: reads `values` once and writes each item once.
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
/// and the others after them, both in their order, and returns how many are kept. It is
/// std::stable_partition of a copy (Blelloch, "Prefix Sums and Their Applications", 1990, 1.3).
/// Otherwise as `filter`.
///
/// Types: `out` must have space for as many items as `values`.
/// Aliasing: `out` must not overlap `values`.
/// Traffic: on the cpu engine `values` are read twice, since the places of the others depend on how
/// many are kept.
/// Throws: `invalid_argument` if `out` is too short, before anything is written.
template <class T>
index_t split(engine const& on, std::type_identity_t<std::span<T const>> values,
              std::type_identity_t<std::span<T>> out, predicate<T> const& keep) {
  return detail::selection<T>::split(on, values, out, std::nullopt, keep);
}

/// The same by a mask, of as many items as `values`; only the mask is read twice. `out` must not
/// overlap it either.
template <class T>
index_t split(engine const& on, std::type_identity_t<std::span<T const>> values,
              std::type_identity_t<std::span<T>> out, item_mask const& mask) {
  return detail::selection<T>::split(on, values, out, std::nullopt, mask);
}

/// The split of a radix sort. Copies the keys whose bit `bit` (0: the lowest) is 0 to the front of
/// `out` and those in which it is 1 after them, both in their order. Returns the number of the
/// former. T is one of the eight integer types and must be named:
///
///   auto zeros = split_by_bit<std::uint32_t>(engine::best(), keys, out, 7);
///
/// Otherwise as `split` into one buffer.
/// Throws: `invalid_argument` for a bit that T does not have.
template <std::integral T>
index_t split_by_bit(engine const& on, std::type_identity_t<std::span<T const>> keys,
                     std::type_identity_t<std::span<T>> out, int bit) {
  static_assert(detail::refuse_others<T>());
  using word = std::make_unsigned_t<T>;
  return detail::split_words<word>(on, {reinterpret_cast<word const*>(keys.data()), keys.size()},
                                   {reinterpret_cast<word*>(out.data()), out.size()}, bit);
}

/// Copies the first item of each run of equal ones (==, so -0 equals +0, and NaN equals nothing) to
/// the front of `out`, in their order, and returns their number. Otherwise as `filter`: `out` may
/// be `values` itself.
template <class T>
index_t unique(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out) {
  return detail::selection<T>::unique(on, values, out);
}

/// The first item of each run, in memory of their own: see `filter`.
template <class T>
buffer<T> unique(engine const& on, std::type_identity_t<std::span<T const>> values) {
  buffer<T> firsts(static_cast<index_t>(values.size()));
  firsts.truncate(libscan::unique<T>(on, values, {firsts.data(), firsts.size()}));
  return firsts;
}

/// Copies the first item of each run of equal ones (== as for `unique`) to the front of `out`, and
/// the length of the run to the front of `lengths`, both in the order of the runs. Returns the
/// number of runs. The lengths sum to the number of items. Otherwise as `filter`.
///
///   auto runs = run_length_encode<float>(engine::best(), values, out, lengths);
///
/// The exclusive scan of the lengths (libscan/libscan.hpp) is where the runs begin.
/// Types: `out` and `lengths` must have space for an item of each run (as many as `values` always
/// suffice). An output that is too short is an error; nothing after the results is changed.
/// Aliasing: the outputs must not overlap each other or `values`.
/// Traffic: reads `values` once and writes each output once.
template <class T>
index_t run_length_encode(engine const& on, std::type_identity_t<std::span<T const>> values,
                          std::type_identity_t<std::span<T>> out, std::span<index_t> lengths) {
  return detail::selection<T>::run_length_encode(on, values, out, lengths);
}

/// The same of runs of at least `min_length` items: with 2, no trivial ones. Also writes the
/// position of the first item of each to the front of `offsets`. Returns their number.
///
///   auto repeats = run_length_encode<float>(engine::best(), values, out, lengths, offsets, 2);
///
/// Memory: a result of each run, short or long. Otherwise as the previous call, for each output.
/// Throws: also `invalid_argument` if min_length < 1.
template <class T>
index_t run_length_encode(engine const& on, std::type_identity_t<std::span<T const>> values,
                          std::type_identity_t<std::span<T>> out, std::span<index_t> lengths,
                          std::span<index_t> offsets, index_t min_length = 1) {
  return detail::selection<T>::run_length_encode(on, values, out, lengths, offsets, min_length);
}

/// Runs of equal items: of each the first item, the length, and the position of the first item.
template <class T>
struct run_list {
  buffer<T> values;
  buffer<index_t> lengths;
  buffer<index_t> offsets;
};

/// The runs of at least `min_length` items, in memory of their own: see `filter`.
///
///   auto const [firsts, lengths, offsets] = run_length_encode<float>(engine::best(), values);
template <class T>
run_list<T> run_length_encode(engine const& on, std::type_identity_t<std::span<T const>> values,
                              index_t min_length = 1) {
  auto const n = static_cast<index_t>(values.size());
  run_list<T> runs{buffer<T>(n), buffer<index_t>(n), buffer<index_t>(n)};
  index_t const count = libscan::run_length_encode<T>(
      on, values, {runs.values.data(), runs.values.size()}, runs.lengths, runs.offsets, min_length);
  runs.values.truncate(count);
  runs.lengths.truncate(count);
  runs.offsets.truncate(count);
  return runs;
}

}  // namespace libscan::inline v1
