// SPDX-License-Identifier: Apache-2.0
// The host API of the stable sort within segments, from many tiny to few huge ones, on any
// engine. As radix_sort.hpp; link libscan::radix_sort.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <libscan/host/described_offsets.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The sort within segments of keys of one type; compiled for all types of `sort_key`. All pointers
/// are to space for n items, which the caller has checked; everything else is checked here.
template <class Key>
struct compiled_segmented_sort {
  static void items(char const* call, engine const& on, Key const* keys, Key* out,
                    value_bytes const& values, index_t n, std::span<index_t const> offsets,
                    sort_options const& options);
  static void positions(engine const& on, Key const* keys, index_t* positions, index_t n,
                        std::span<index_t const> offsets, sort_options const& options);
  static void positions(engine const& on, Key const* keys, std::uint32_t* positions, index_t n,
                        std::span<index_t const> offsets, sort_options const& options);

  /// The same within ranges.
  static void items(char const* call, engine const& on, Key const* keys, Key* out,
                    value_bytes const& values, index_t n, segmentation const& ranges,
                    sort_options const& options);
  static void positions(engine const& on, Key const* keys, index_t* positions, index_t n,
                        segmentation const& ranges, sort_options const& options);
  static void positions(engine const& on, Key const* keys, std::uint32_t* positions, index_t n,
                        segmentation const& ranges, sort_options const& options);
};

/// What describes the segments of a sort: offsets, or any description.
template <class Segments>
concept sort_segments = host_items<Segments const> || std::same_as<Segments, segmentation>;

/// Calls body with the segments of n keys: their offsets, or the ranges.
template <class Segments, class Body>
void with_sort_segments(char const* call, engine const& on, Segments const& segments, std::size_t n,
                        Body const& body) {
  auto const items = static_cast<index_t>(n);
  if constexpr (std::same_as<Segments, segmentation>) {
    if (segments.how() == segmentation::form::ranges) return body(segments);
    detail::with_described_offsets(call, on, segments, items, body);
  } else if constexpr (std::same_as<item_of<Segments const>, index_t>) {
    body(std::span<index_t const>{segments});
  } else {
    detail::with_described_offsets(call, on, segmentation::of_offsets(segments), items, body);
  }
}

}  // namespace detail

/// Sorts each segment of `keys` separately, as `sort_keys`, into the same places of `out`: segment
/// s is keys offsets[s] to offsets[s + 1] - 1, perhaps none. `segments` are m + 1 offsets for m of
/// them, index_t that ascend within 0 and the number of keys. Keys before the first or after the
/// last are in no segment, and their places in `out` stay unchanged:
///
///   segmented_sort_keys(engine::best(), scores, sorted, offsets,
///                       {.direction = sort_direction::descending});
///
/// Types: all are anything that std::span can view in host memory; types of keys, order and bits
/// are as in `sort_keys`. In place of offsets, `segments` may be a `segmentation` of as many items
/// as keys; offsets may be integers of 32 or 64 bits. Both are then first copied as index_t. Ranges
/// must not overlap; this is not checked. Many tiny segments take about as long as few huge ones.
/// Aliasing: `out` may be `keys` itself, or must not overlap it; it must not overlap offsets.
/// Items after the sorted keys are not touched.
/// Determinism: the result is the same on every engine and for any number of threads. Returns when
/// `out` is complete.
/// Memory: see `cpu::sort_keys_in_segments`; on a device, space for the keys three times, 2.6 bytes
/// per key more, and the offsets. The items of ranges are copied together and back.
/// Throws: before anything is written, `invalid_argument` if `out` is shorter than `keys` or
/// overlaps anything other than exactly, for offsets that do not ascend within 0 ... the number of
/// keys, or for bits that the key does not have; `device_error`, `engine_unavailable` or
/// std::bad_alloc if a device or memory fails.
template <host_items Keys, host_output Out, detail::sort_segments Segments>
void segmented_sort_keys(engine const& on, Keys const& keys, Out&& out, Segments const& segments,
                         sort_options const& options = {}) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Out&&>(out)};
  using key = typename decltype(in)::value_type;
  static_assert(std::is_same_v<key, typename decltype(to)::value_type>,
                "segmented_sort_keys: keys and out must hold the same type");
  detail::check_sort_capacity("segmented_sort_keys", "out", to.size(), in.size());
  auto const sort = [&](auto const& described) {
    detail::compiled_segmented_sort<typename detail::compiled_key<key>::type>::items(
        "segmented_sort_keys", on, detail::compiled_keys(in.data()),
        detail::compiled_keys(to.data()), {}, static_cast<index_t>(in.size()), described, options);
  };
  detail::across_types(
      [&] { detail::with_sort_segments("segmented_sort_keys", on, segments, in.size(), sort); });
}

/// Sorts `keys` within segments into `out` as `segmented_sort_keys`, and moves `values` along:
/// values_out[j] = values[i] wherever out[j] is keys[i]. Values are of any trivially copyable type,
/// at least as many as keys. Each output may be its input, and must not overlap anything else.
/// Otherwise as `segmented_sort_keys`. More memory: on a device, space for the values three times.
/// Values of 4 or 8 bytes move with their keys. For others the sort moves positions (4 bytes each;
/// 8 for more than 2^32 keys), and moves the values once at the end.
template <host_items Keys, host_output Out, host_items Values, host_output ValuesOut,
          detail::sort_segments Segments>
void segmented_sort_pairs(engine const& on, Keys const& keys, Out&& out, Values const& values,
                          ValuesOut&& values_out, Segments const& segments,
                          sort_options const& options = {}) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Out&&>(out)};
  auto const values_in = detail::as_items(values);
  std::span const values_to{static_cast<ValuesOut&&>(values_out)};
  using key = typename decltype(in)::value_type;
  using value = typename decltype(values_in)::value_type;
  static_assert(std::is_same_v<key, typename decltype(to)::value_type> &&
                    std::is_same_v<value, typename decltype(values_to)::value_type>,
                "segmented_sort_pairs: inputs and their outputs must hold the same type");
  detail::refuse_values<value>();
  detail::check_sort_capacity("segmented_sort_pairs", "out", to.size(), in.size());
  detail::check_sort_capacity("segmented_sort_pairs", "values", values_in.size(), in.size());
  detail::check_sort_capacity("segmented_sort_pairs", "values_out", values_to.size(), in.size());
  auto const sort = [&](auto const& described) {
    detail::compiled_segmented_sort<typename detail::compiled_key<key>::type>::items(
        "segmented_sort_pairs", on, detail::compiled_keys(in.data()),
        detail::compiled_keys(to.data()), {values_in.data(), values_to.data(), sizeof(value)},
        static_cast<index_t>(in.size()), described, options);
  };
  detail::across_types(
      [&] { detail::with_sort_segments("segmented_sort_pairs", on, segments, in.size(), sort); });
}

/// Sets positions[j] to the position, among all keys, of the key that `segmented_sort_keys` would
/// put in place j: segment s of `positions` is a permutation of offsets[s] ... offsets[s + 1] - 1.
/// `positions` are at least as many integers of 32 or 64 bits, which must not overlap `keys` and
/// offsets; these are only read. Otherwise as `segmented_sort_keys`, and `argsort` in errors.
template <host_items Keys, host_output Positions, detail::sort_segments Segments>
void segmented_argsort(engine const& on, Keys const& keys, Positions&& positions,
                       Segments const& segments, sort_options const& options = {}) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Positions&&>(positions)};
  using key = typename decltype(in)::value_type;
  detail::check_sort_capacity("segmented_argsort", "positions", to.size(), in.size());
  auto* const places = detail::compiled_positions("segmented_argsort", to.data(), in.size());
  auto const sort = [&](auto const& described) {
    detail::compiled_segmented_sort<typename detail::compiled_key<key>::type>::positions(
        on, detail::compiled_keys(in.data()), places, static_cast<index_t>(in.size()), described,
        options);
  };
  detail::across_types(
      [&] { detail::with_sort_segments("segmented_argsort", on, segments, in.size(), sort); });
}

}  // namespace libscan::inline v1
