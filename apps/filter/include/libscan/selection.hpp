// SPDX-License-Identifier: Apache-2.0
// Masks, splits and runs in plain C++: filters by masks, splits, and runs of equal items. Like
// filter.hpp, on any engine; link libscan::filter.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>

#include <apps/filter/host/moved_item.hpp>
#include <libscan/buffer.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_items.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The functions that those below call; compiled for the types that predicates take. Splits without
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
};

/// The same for runs; compiled for the types of `compared_item`.
template <class T>
struct runs {
  static_assert(detail::refuse_others<T>());

  static index_t unique(engine const& on, std::span<T const> values, std::span<T> out);
  static index_t encode(engine const& on, std::span<T const> values, std::span<T> out,
                        std::span<index_t> lengths);
  static index_t encode(engine const& on, std::span<T const> values, std::span<T> out,
                        std::span<index_t> lengths, std::span<index_t> offsets, index_t min_length);
};

/// The type of the items of a call: the one that it names, or that of its range.
template <class T, class In>
using selected_item = std::conditional_t<std::is_void_v<T>, item_of<In const>, T>;

/// A range of the caller's as the items that the compiled code takes.
template <class T, class Range>
std::span<T> items_as(Range&& range) {
  constexpr bool fits = std::is_convertible_v<Range&&, std::span<T>>;
  static_assert(fits, "selection.hpp: inputs and outputs of a call must hold items of one type");
  if constexpr (fits) return static_cast<Range&&>(range);
  return {};
}

/// The same to move by a mask.
template <class T, class Range>
auto moved_as(Range&& range) {
  return detail::as_moved(detail::items_as<T>(static_cast<Range&&>(range)));
}

/// The functions that move items of T, and those that compare them.
template <class T>
using moving = selection<moved_item_t<T>>;
template <class T>
using comparing = runs<compared_item_t<T>>;

/// The range to compare.
template <class T, class Range>
auto compared_as(Range&& range) {
  return detail::as_compared(detail::items_as<T>(static_cast<Range&&>(range)));
}

/// The split by a bit; compiled for unsigned integers of 8 to 64 bits.
template <class Word>
index_t split_words(engine const& on, std::span<Word const> keys, std::span<Word> out, int bit);

}  // namespace detail

/// Copies the items of `values` that `mask` marks to the front of `out`, in their order, and
/// returns their number:
///
///   auto kept = filter(engine::best(), values, out, item_mask::of_flags(flags));
///
/// Otherwise as `filter` of a predicate (filter.hpp), also in errors.
/// Types: items may also be bool, and others that are trivially copyable and aligned to their size
/// of 1, 2, 4 or 8 bytes. So they may in all calls that take a mask.
/// Aliasing: `out` may be `values` itself; it must not overlap the mask.
/// Throws: `invalid_argument` if `mask` has another number of items than `values`.
template <class T = void, host_items In, host_output Out>
index_t filter(engine const& on, In const& values, Out&& out, item_mask const& mask) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::moved_as<item const>(values);
  auto const to = detail::moved_as<item>(static_cast<Out&&>(out));
  return detail::across_types([&] { return detail::moving<item>::filter(on, from, to, mask); });
}

/// The items that `mask` marks, in memory of their own, which is for as many items as `values`:
/// pages that are not written take none. Otherwise as the previous call.
template <class T = void, host_items In>
buffer<detail::selected_item<T, In>> filter(engine const& on, In const& values,
                                            item_mask const& mask) {
  auto const from = detail::items_as<detail::selected_item<T, In> const>(values);
  buffer<detail::selected_item<T, In>> kept(static_cast<index_t>(from.size()));
  kept.truncate(libscan::filter(on, from, kept, mask));
  return kept;
}

/// Writes the positions (from 0) of the items that `mask` marks to the front of `out`, ascending,
/// and returns their number: numpy.flatnonzero. Errors as for `filter`.
index_t mask_indices(engine const& on, item_mask const& mask, std::span<index_t> out);

/// Copies the items of `values` that `mask` marks to the front of `out` and their positions to the
/// front of `indices`, and returns their number. `out` may be equal to `values`; otherwise the
/// outputs must not overlap `values`, the mask or each other. Otherwise as `filter`, for each of
/// them.
template <class T = void, host_items In, host_output Out>
index_t filter_with_indices(engine const& on, In const& values, Out&& out,
                            std::span<index_t> indices, item_mask const& mask) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::moved_as<item const>(values);
  auto const to = detail::moved_as<item>(static_cast<Out&&>(out));
  return detail::across_types(
      [&] { return detail::moving<item>::filter_with_indices(on, from, to, indices, mask); });
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
template <class T = void, host_items In, host_output Out, host_output Rejected>
index_t split(engine const& on, In const& values, Out&& out, Rejected&& rejected,
              item_mask const& mask) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::moved_as<item const>(values);
  auto const to = detail::moved_as<item>(static_cast<Out&&>(out));
  auto const rest = detail::moved_as<item>(static_cast<Rejected&&>(rejected));
  return detail::across_types(
      [&] { return detail::moving<item>::split(on, from, to, rest, mask); });
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
template <class T = void, host_items In, host_output Out>
index_t split(engine const& on, In const& values, Out&& out, item_mask const& mask) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::moved_as<item const>(values);
  auto const to = detail::moved_as<item>(static_cast<Out&&>(out));
  return detail::across_types(
      [&] { return detail::moving<item>::split(on, from, to, std::nullopt, mask); });
}

/// The split of a radix sort. Copies the keys whose bit `bit` (0: the lowest) is 0 to the front of
/// `out` and those in which it is 1 after them, both in their order. Returns the number of the
/// former. Keys are integers of 8 to 64 bits:
///
///   auto zeros = split_by_bit(engine::best(), keys, out, 7);
///
/// Otherwise as `split` into one buffer.
/// Throws: `invalid_argument` for a bit that keys do not have.
template <class T = void, host_items In, host_output Out>
index_t split_by_bit(engine const& on, In const& keys, Out&& out, int bit) {
  using key = detail::selected_item<T, In>;
  static_assert(detail::refuse_others<key>());
  static_assert(std::integral<key>, "split_by_bit: keys are integers of 8 to 64 bits");
  if constexpr (std::integral<key>) {
    using word = std::make_unsigned_t<key>;
    auto const from = detail::items_as<key const>(keys);
    auto const to = detail::items_as<key>(static_cast<Out&&>(out));
    return detail::split_words<word>(on, {reinterpret_cast<word const*>(from.data()), from.size()},
                                     {reinterpret_cast<word*>(to.data()), to.size()}, bit);
  }
  return 0;
}

/// Copies the first item of each run of equal ones (==, so -0 equals +0, and NaN equals nothing) to
/// the front of `out`, in their order, and returns their number. Otherwise as `filter`: `out` may
/// be `values` itself. Items may also be bool; 16-bit floats are equal as numbers.
template <class T = void, host_items In, host_output Out>
index_t unique(engine const& on, In const& values, Out&& out) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::compared_as<item const>(values);
  auto const to = detail::compared_as<item>(static_cast<Out&&>(out));
  return detail::across_types([&] { return detail::comparing<item>::unique(on, from, to); });
}

/// The first item of each run, in memory of their own: see `filter`.
template <class T = void, host_items In>
buffer<detail::selected_item<T, In>> unique(engine const& on, In const& values) {
  auto const from = detail::items_as<detail::selected_item<T, In> const>(values);
  buffer<detail::selected_item<T, In>> firsts(static_cast<index_t>(from.size()));
  firsts.truncate(libscan::unique(on, from, firsts));
  return firsts;
}

/// Copies the first item of each run of equal ones (== as for `unique`) to the front of `out`, and
/// the length of the run to the front of `lengths`, both in the order of the runs. Returns the
/// number of runs. The lengths sum to the number of items. Otherwise as `filter`.
///
///   auto runs = run_length_encode(engine::best(), values, out, lengths);
///
/// The exclusive scan of the lengths (libscan/libscan.hpp) is where the runs begin.
/// Types: `out` and `lengths` must have space for an item of each run (as many as `values` always
/// suffice). An output that is too short is an error; nothing after the results is changed.
/// Aliasing: the outputs must not overlap each other or `values`.
/// Traffic: reads `values` once and writes each output once.
template <class T = void, host_items In, host_output Out>
index_t run_length_encode(engine const& on, In const& values, Out&& out,
                          std::span<index_t> lengths) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::compared_as<item const>(values);
  auto const to = detail::compared_as<item>(static_cast<Out&&>(out));
  return detail::across_types(
      [&] { return detail::comparing<item>::encode(on, from, to, lengths); });
}

/// The same of runs of at least `min_length` items: with 2, no trivial ones. Also writes the
/// position of the first item of each to the front of `offsets`. Returns their number.
///
///   auto repeats = run_length_encode(engine::best(), values, out, lengths, offsets, 2);
///
/// Memory: a result of each run, short or long. Otherwise as the previous call, for each output.
/// Throws: also `invalid_argument` if min_length < 1.
template <class T = void, host_items In, host_output Out>
index_t run_length_encode(engine const& on, In const& values, Out&& out, std::span<index_t> lengths,
                          std::span<index_t> offsets, index_t min_length = 1) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::compared_as<item const>(values);
  auto const to = detail::compared_as<item>(static_cast<Out&&>(out));
  return detail::across_types(
      [&] { return detail::comparing<item>::encode(on, from, to, lengths, offsets, min_length); });
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
///   auto const [firsts, lengths, offsets] = run_length_encode(engine::best(), values);
template <class T = void, host_items In>
run_list<detail::selected_item<T, In>> run_length_encode(engine const& on, In const& values,
                                                         index_t min_length = 1) {
  using item = detail::selected_item<T, In>;
  auto const from = detail::items_as<item const>(values);
  auto const n = static_cast<index_t>(from.size());
  run_list<item> runs{buffer<item>(n), buffer<index_t>(n), buffer<index_t>(n)};
  index_t const count =
      libscan::run_length_encode(on, from, runs.values, runs.lengths, runs.offsets, min_length);
  runs.values.truncate(count);
  runs.lengths.truncate(count);
  runs.offsets.truncate(count);
  return runs;
}

}  // namespace libscan::inline v1
