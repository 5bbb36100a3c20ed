// SPDX-License-Identifier: Apache-2.0
// The host API of segments and of masks: scans and sums within segments, sums by key, ranks of true
// items. In host memory, on any engine. As libscan.hpp; link libscan::segments.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <libscan/core/item_mask.hpp>
#include <libscan/libscan.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1 {

namespace detail {

/// A segmented scan by compiled code, or by that of callables.hpp.
template <scan_kind Kind, class In, class Out, class Op, class Init>
void segmented_scan_ranges(engine const& on, In const& in, Out&& out, segmentation const& segments,
                           Op const& op, Init const& init) {
  using types = host_types<In, Op, Init>;
  using T = typename types::value_type;
  std::span<item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  if constexpr (compiled_results<types, typename decltype(to)::value_type>) {
    detail::scan_any_type<T>(on, types::kind, Kind, scan_direction::forward, from, to, segments,
                             types::first(init));
  } else {
    by_callables<Op>::template segmented_scan<Kind, T>(on, from, to, segments, op, init);
  }
}

/// What compares the keys of a range.
template <class Equal, class Keys>
concept compares_keys = std::predicate < Equal const&,
        item_of<Keys const>
const&, item_of<Keys const> const& > ;

/// The call of a reduction by compiled code.
template <class Types, class T, class Item, class Total>
host_reduction reduction_of(std::span<Item const> in, std::span<Total> totals,
                            segmentation const& segments,
                            typename item_type_of<T>::type const& first) {
  return {input_type_of<Item>::value,
          in.data(),
          static_cast<index_t>(in.size()),
          Types::kind,
          segments,
          item_type_of<T>::value,
          &first,
          totals.data(),
          static_cast<index_t>(totals.size())};
}

}  // namespace detail

/// Inclusive scan within segments: out[i] = init op in[h] op ... op in[i], where h is the first
/// item of i's segment:
///
///   inclusive_segmented_scan(engine::best(), prices, sums, segmentation::of_offsets(offsets));
///
/// Items in no segment (before the first offset, between ranges) leave out[i] as it is. Types,
/// operators, repeatability and errors are those of `exclusive_scan`.
/// Determinism: floats of the same segments, described otherwise (by flags instead of offsets), may
/// be rounded in another order.
/// Aliasing: `out` may be `in` itself, if both hold one type; it must not overlap anything else.
/// Traffic: reads the items and the description of segments once, and writes n results. Offsets
/// are read once more before, to check them; those that are not index_t are copied as index_t.
/// Throws: also `invalid_argument` if `segments` does not describe the items: another number of
/// flags, bits or keys, offsets that do not ascend within 0 to n, ranges outside of it.
template <host_items In, host_output Out, class Op = detail::default_sum<In>, class Init = unstated>
void inclusive_segmented_scan(engine const& on, In const& in, Out&& out,
                              segmentation const& segments, Op op = {},
                              Init init = unstated::init()) {
  detail::segmented_scan_ranges<scan_kind::inclusive>(on, in, static_cast<Out&&>(out), segments, op,
                                                      init);
}

/// Exclusive scan within segments: out[i] = init op in[h] op ... op in[i-1], and `init` for the
/// first item of a segment. Otherwise as `inclusive_segmented_scan`.
template <host_items In, host_output Out, class Op = detail::default_sum<In>, class Init = unstated>
void exclusive_segmented_scan(engine const& on, In const& in, Out&& out,
                              segmentation const& segments, Op op = {},
                              Init init = unstated::init()) {
  detail::segmented_scan_ranges<scan_kind::exclusive>(on, in, static_cast<Out&&>(out), segments, op,
                                                      init);
}

/// Sums of segments: totals[s] = init op the items of segment s, in order; `init` if it is empty.
/// Returns the number of segments. Ranges may overlap. Otherwise as `inclusive_segmented_scan`.
///
/// Types: `totals` holds Op::value_type, a result for each segment: as many as items always
/// suffice; for offsets one fewer than these, for ranges one for each. Fewer are counted first,
/// which reads the description once more. Aliasing: `totals` must not overlap anything. Throws:
/// also `invalid_argument` if `totals` is too short, before anything is written.
template <host_items In, host_output Totals, class Op = detail::default_sum<In>,
          class Init = unstated>
index_t segmented_reduce(engine const& on, In const& in, Totals&& totals,
                         segmentation const& segments, Op op = {}, Init init = unstated::init()) {
  using types = detail::host_types<In, Op, Init>;
  using T = typename types::value_type;
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Totals&&>(totals));
  if constexpr (types::compiled && detail::same_item<typename decltype(to)::value_type, T>) {
    auto const first = static_cast<typename detail::item_type_of<T>::type>(types::first(init));
    return detail::across_types([&] {
      return detail::run_host_reduction(on,
                                        detail::reduction_of<types, T>(from, to, segments, first));
    });
  } else {
    return detail::by_callables<Op>::template segmented_reduce<T>(on, from, to, segments, op, init);
  }
}

namespace detail {

/// A reduction by key by compiled code, or by that of callables.hpp.
template <class Keys, class In, class Unique, class Totals, class Op, class Equal, class Init>
index_t reduce_ranges_by_key(engine const& on, Keys const& keys, In const& in, Unique&& unique,
                             Totals&& totals, Op const& op, Equal const& equal, Init const& init) {
  using types = host_types<In, Op, Init>;
  using T = typename types::value_type;
  using key = item_of<Keys const>;
  std::span<item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Totals&&>(totals));
  auto const firsts = detail::as_output(static_cast<Unique&&>(unique));
  static_assert(std::is_same_v<typename decltype(firsts)::value_type, key>,
                "reduce_by_key: keys and unique must hold the same type");
  if constexpr (types::compiled && std::is_trivially_copyable_v<key> &&
                same_item<typename decltype(to)::value_type, T>) {
    auto const segments = segmentation::of_keys(keys, equal);
    auto const first = static_cast<typename item_type_of<T>::type>(types::first(init));
    return detail::across_types([&] {
      return detail::run_keyed_reduction(on,
                                         detail::reduction_of<types, T>(from, to, segments, first),
                                         firsts.data(), static_cast<index_t>(firsts.size()));
    });
  } else {
    return by_callables<Op>::template reduce_by_key<T>(on, std::span<key const>{keys}, from, firsts,
                                                       to, op, equal, init);
  }
}

}  // namespace detail

/// Sums of runs of equal neighboring keys: unique[s] = the first key of run s, totals[s] = init op
/// the items of run s. Returns the number of runs. Keys are compared by ==. Otherwise as
/// `segmented_reduce` with `segmentation::of_keys`; `unique` needs as much space as `totals`.
/// Throws: also `invalid_argument` unless there are as many keys as items.
template <host_items Keys, host_items In, host_output Unique, host_output Totals,
          class Op = detail::default_sum<In>, class Init = unstated>
requires(!detail::compares_keys<Init, Keys>) index_t
    reduce_by_key(engine const& on, Keys const& keys, In const& in, Unique&& unique,
                  Totals&& totals, Op op = {}, Init init = unstated::init()) {
  return detail::reduce_ranges_by_key(on, keys, in, static_cast<Unique&&>(unique),
                                      static_cast<Totals&&>(totals), op, equal_values{}, init);
}

/// The same with keys of any type, where a run ends before an item with equal(earlier, later)
/// false:
///
///   reduce_by_key(on, names, prices, unique, totals, plus<double>{}, same_first_letter);
///
/// `equal` is as in `segmentation::of_keys`. On engines that run kernels, keys are trivially
/// copyable.
template <host_items Keys, host_items In, host_output Unique, host_output Totals, class Op,
          detail::compares_keys<Keys> Equal, class Init = unstated>
index_t reduce_by_key(engine const& on, Keys const& keys, In const& in, Unique&& unique,
                      Totals&& totals, Op op, Equal equal, Init init = unstated::init()) {
  return detail::reduce_ranges_by_key(on, keys, in, static_cast<Unique&&>(unique),
                                      static_cast<Totals&&>(totals), op, equal, init);
}

namespace detail {

template <scan_kind Kind, class Ranks>
index_t binary_scan_ranges(engine const& on, item_mask const& mask, Ranks&& ranks) {
  auto const to = detail::as_output(static_cast<Ranks&&>(ranks));
  using rank = typename decltype(to)::value_type;
  static_assert(std::integral<rank> && (sizeof(rank) == 4 || sizeof(rank) == 8),
                "binary scans: ranks are integers of 32 or 64 bits");
  return detail::across_types([&] {
    return detail::run_binary_scan(
        on, {mask, Kind, to.data(), sizeof(rank), static_cast<index_t>(to.size())});
  });
}

}  // namespace detail

/// Ranks: ranks[i] = the number of true items before item i of the mask. Returns the number of all
/// true items.
///
/// Types: ranks are integers of 32 or 64 bits, one for each item of the mask; ranks that do not fit
/// wrap around, but the returned number does not.
/// Aliasing: the mask and `ranks` must not overlap.
/// Synchronization: returns when `ranks` are complete. Reads the mask once.
/// Determinism: the same on every engine and for any number of threads.
/// Throws: `invalid_argument` if there are fewer ranks than items, or the two overlap;
/// `device_error` or std::bad_alloc if a device or its memory fails.
template <host_output Ranks>
index_t exclusive_binary_scan(engine const& on, item_mask const& mask, Ranks&& ranks) {
  return detail::binary_scan_ranges<scan_kind::exclusive>(on, mask, static_cast<Ranks&&>(ranks));
}

/// ranks[i] = the number of true items up to and including item i. Otherwise as
/// `exclusive_binary_scan`.
template <host_output Ranks>
index_t inclusive_binary_scan(engine const& on, item_mask const& mask, Ranks&& ranks) {
  return detail::binary_scan_ranges<scan_kind::inclusive>(on, mask, static_cast<Ranks&&>(ranks));
}

}  // namespace libscan::inline v1
