// SPDX-License-Identifier: Apache-2.0
// The host API of the radix sort: stable, on any engine. A radix sort is a scan of digit
// counts: they give each item the number of items before it. Needs no nvcc; link
// libscan::radix_sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>
#include <libscan/libscan.hpp>

namespace libscan::inline v1 {

struct device_queue;

/// How the host API sorts.
struct sort_options {
  sort_direction direction = sort_direction::ascending;
  /// Only bits [first_bit, end_bit) of a key's word are compared (see `number_order`; for unsigned
  /// keys the word is the key). `end_bit` < 0: all bits from `first_bit` on.
  int first_bit = 0;
  int end_bit = -1;
};

namespace detail {

/// The compiled type that keys of type Key are sorted as. Empty for all others.
template <class Key>
struct sort_key : item_type_of<Key> {};
template <>
struct sort_key<bool> {
  using type = std::uint8_t;
};
template <>
struct sort_key<float16> {
  using type = float16;
};
template <>
struct sort_key<bfloat16> {
  using type = bfloat16;
};

struct sort_call;  // sort_device_calls.hpp

/// Values that move with keys, by their bytes. `size` = 0: there are none.
struct value_bytes {
  void const* in = nullptr;
  void* out = nullptr;
  std::size_t size = 0;  // of one value
};

/// The host API for keys of one type; compiled for all types of `sort_key`. All pointers are to
/// space for n items, which the caller has checked; everything else is checked here.
template <class Key>
struct compiled_sort {
  static void items(engine const& on, Key const* keys, Key* out, value_bytes const& values,
                    index_t n, sort_options const& options);
  static void positions(engine const& on, Key const* keys, index_t* positions, index_t n,
                        sort_options const& options);
  static void positions(engine const& on, Key const* keys, std::uint32_t* positions, index_t n,
                        sort_options const& options);

  /// A sort of device memory, and the workspace that it needs at most.
  static void enqueue(device_queue const& queue, sort_call const& call,
                      sort_options const& options);
  static std::size_t enqueued_bytes(engine const& on, sort_call const& call);
};

/// Throws `invalid_argument` unless `capacity` >= n.
void check_sort_capacity(char const* call, char const* what, std::size_t capacity, std::size_t n);

/// Throws `invalid_argument` if positions up to `max_position` are too few for n keys.
void check_positions_suffice(char const* call, std::uint64_t max_position, std::size_t n);

/// Positions as compiled code writes them, of 32 or 64 bits.
template <class Position>
auto* compiled_positions(char const* call, Position* positions, std::size_t n) {
  constexpr bool fits =
      std::is_integral_v<Position> && (sizeof(Position) == 4 || sizeof(Position) == 8);
  static_assert(fits, "argsort: positions are integers of 32 or 64 bits");
  using limits = std::numeric_limits<Position>;
  detail::check_positions_suffice(call, static_cast<std::uint64_t>(limits::max()), n);
  using word = std::conditional_t<sizeof(Position) == 4, std::uint32_t, index_t>;
  return reinterpret_cast<word*>(positions);
}

template <class Range>
auto as_items(Range const& range) {
  return std::span<item_of<Range const> const>(range);
}

/// The type that the host API is compiled for, for keys of type Key. Refuses other keys.
template <class Key>
struct compiled_key {
  static_assert(
      requires { typename sort_key<Key>::type; },
      "radix_sort.hpp is compiled for integers of 8 to 64 bits, bool, float, "
      "double, float16 and bfloat16. For other keys include "
      "libscan/cpu/radix_sort.hpp, or in CUDA code libscan/radix_sort.cuh.");
  using type = int;
};
template <class Key>
requires requires { typename sort_key<Key>::type; }
struct compiled_key<Key> : sort_key<Key> {};

/// The same keys in that type.
template <class Key>
auto compiled_keys(Key* keys) {
  using type = typename compiled_key<std::remove_const_t<Key>>::type;
  if constexpr (std::is_const_v<Key>) {
    return reinterpret_cast<type const*>(keys);
  } else {
    return reinterpret_cast<type*>(keys);
  }
}

/// Refuses values that cannot be copied by their bytes.
template <class Value>
constexpr void refuse_values() {
  static_assert(std::is_trivially_copyable_v<Value>,
                "libscan: sorts copy values by their bytes, so that their type must be trivially "
                "copyable: no std::string and no container. Sort positions (argsort), and move the "
                "values yourself");
}

}  // namespace detail

/// Sorts `keys` into the front of `out`:
///
///   sort_keys(engine::best(), prices, sorted);
///   sort_keys(engine::best(), prices, prices, {.direction = sort_direction::descending});
///
/// Types: both are anything that std::span can view in host memory, of one type of key: integers of
/// 8 to 64 bits, float, double, `float16`, `bfloat16`. Floats: -inf < ... < (-0 = +0) < ... < +inf
/// < NaN of either sign. Descending is the reverse; equal keys keep the order of the input in both.
/// Aliasing: `out` may be `keys` itself, or must not overlap it; items after the sorted keys are
/// not touched.
/// Determinism: the result is the same on every engine and for any number of threads. Returns when
/// `out` is complete.
/// Memory: see `cpu::sort_keys`; on a device, space for the keys twice. If the device has less,
/// sorts of 256 MiB and more take host memory for all keys and values instead.
/// Throws: `invalid_argument` if `out` is shorter than `keys` or overlaps it other than exactly, or
/// for bits that the key does not have; `device_error`, `engine_unavailable` or std::bad_alloc if a
/// device or memory fails.
template <host_items Keys, host_output Out>
void sort_keys(engine const& on, Keys const& keys, Out&& out, sort_options const& options = {}) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Out&&>(out)};
  using key = typename decltype(in)::value_type;
  static_assert(std::is_same_v<key, typename decltype(to)::value_type>,
                "sort_keys: keys and out must hold the same type");
  detail::check_sort_capacity("sort_keys", "out", to.size(), in.size());
  detail::across_types([&] {
    detail::compiled_sort<typename detail::compiled_key<key>::type>::items(
        on, detail::compiled_keys(in.data()), detail::compiled_keys(to.data()), {},
        static_cast<index_t>(in.size()), options);
  });
}

/// Sorts `keys` into the front of `out` as `sort_keys`, and moves `values` along: values_out[j] =
/// values[i] wherever out[j] is keys[i]. Values are of any trivially copyable type, at least as
/// many as keys. Each output may be its input, and must not overlap anything else. Otherwise as
/// `sort_keys`.
template <host_items Keys, host_output Out, host_items Values, host_output ValuesOut>
void sort_pairs(engine const& on, Keys const& keys, Out&& out, Values const& values,
                ValuesOut&& values_out, sort_options const& options = {}) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Out&&>(out)};
  auto const values_in = detail::as_items(values);
  std::span const values_to{static_cast<ValuesOut&&>(values_out)};
  using key = typename decltype(in)::value_type;
  using value = typename decltype(values_in)::value_type;
  static_assert(std::is_same_v<key, typename decltype(to)::value_type> &&
                    std::is_same_v<value, typename decltype(values_to)::value_type>,
                "sort_pairs: inputs and their outputs must hold the same type");
  detail::refuse_values<value>();
  detail::check_sort_capacity("sort_pairs", "out", to.size(), in.size());
  detail::check_sort_capacity("sort_pairs", "values", values_in.size(), in.size());
  detail::check_sort_capacity("sort_pairs", "values_out", values_to.size(), in.size());
  detail::across_types([&] {
    detail::compiled_sort<typename detail::compiled_key<key>::type>::items(
        on, detail::compiled_keys(in.data()), detail::compiled_keys(to.data()),
        {values_in.data(), values_to.data(), sizeof(value)}, static_cast<index_t>(in.size()),
        options);
  });
}

/// Sets positions[j] to the position of the key that comes j-th: numpy.argsort(kind='stable').
/// `positions` are at least as many integers of 32 or 64 bits, which must not overlap `keys`; these
/// are only read. Otherwise as `sort_keys`.
/// Throws: also `invalid_argument` if positions of that type are too small for so many keys.
template <host_items Keys, host_output Positions>
void argsort(engine const& on, Keys const& keys, Positions&& positions,
             sort_options const& options = {}) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Positions&&>(positions)};
  using key = typename decltype(in)::value_type;
  detail::check_sort_capacity("argsort", "positions", to.size(), in.size());
  auto* const places = detail::compiled_positions("argsort", to.data(), in.size());
  detail::across_types([&] {
    detail::compiled_sort<typename detail::compiled_key<key>::type>::positions(
        on, detail::compiled_keys(in.data()), places, static_cast<index_t>(in.size()), options);
  });
}

}  // namespace libscan::inline v1
