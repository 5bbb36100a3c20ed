// SPDX-License-Identifier: Apache-2.0
// The types that the host API reads: the item types, the 16-bit floats, which accumulate in float,
// and bools, which it reads as bytes of 0 and 1. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/item_types.hpp>

#define LIBSCAN_INPUT_TYPES(use) LIBSCAN_ITEM_TYPES(use) LIBSCAN_HALVES(use)

namespace libscan::inline v1::detail {

/// A type of input, known at run time. The item types come first, in the order of `item_type`.
#define LIBSCAN_NAME(name, type) name,
enum class input_type : std::uint8_t { LIBSCAN_INPUT_TYPES(LIBSCAN_NAME) };
#undef LIBSCAN_NAME

constexpr input_type as_input(item_type type) { return static_cast<input_type>(type); }

/// Returns f(std::type_identity<T>{}) for the C++ type T of `type`.
template <class F>
decltype(auto) visit_input_type(input_type type, F&& f) {
  switch (type) {
#define LIBSCAN_VISIT(name, type) \
  case input_type::name:          \
    return f(std::type_identity<type>{});
    LIBSCAN_INPUT_TYPES(LIBSCAN_VISIT)
#undef LIBSCAN_VISIT
  }
  throw invalid_argument("input_type " + std::to_string(static_cast<int>(type)) +
                         ": no such type of items");
}

/// Bytes of one item.
inline std::size_t size_of(input_type type) {
  return detail::visit_input_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

/// The input type of T. Empty for types that are none.
template <class T>
struct input_type_of {};
template <listed_item T>
struct input_type_of<T> {
  static constexpr input_type value = detail::as_input(item_type_of<T>::value);
};
template <>
struct input_type_of<bool> {
  static constexpr input_type value = input_type::u8;
};
#define LIBSCAN_TYPE_OF(name, half)                       \
  template <>                                             \
  struct input_type_of<half> {                            \
    static constexpr input_type value = input_type::name; \
  };
LIBSCAN_HALVES(LIBSCAN_TYPE_OF)
#undef LIBSCAN_TYPE_OF

/// True for types that the host API reads.
template <class T>
concept listed_input = requires {
  input_type_of<T>::value;
};

/// Whether compiled code treats both as one type: `long` and `long long`.
template <class T, class U>
concept same_item =
    listed_item<T> && listed_item<U> && std::is_same_v < typename item_type_of<T>::type,
typename item_type_of<U>::type > ;

/// Whether results accumulated in T are written as `Out`: as T or, of float, as 16-bit floats.
template <class Out, class T>
concept result_of = same_item<Out, T> ||(half_float<Out>&& std::is_same_v<T, float>);

}  // namespace libscan::inline v1::detail
