// SPDX-License-Identifier: Apache-2.0
// The types that compiled code copies, or compares by ==, in place of an item's. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <libscan/predicate.hpp>

namespace libscan::inline v1::detail {

/// An unsigned integer of this many bytes.
template <std::size_t Bytes>
using moved_word = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The compiled type as which items of T move; T itself if there is none.
template <class T>
struct moved_item {
  using type = T;
};
template <class T>
requires((!compiled_item<T> || half_float<T>)&&std::is_trivially_copyable_v<T> && sizeof(T) <= 8 &&
         (sizeof(T) & (sizeof(T) - 1)) == 0 && alignof(T) == sizeof(T)) struct moved_item<T> {
  using type = moved_word<sizeof(T)>;
};
template <class T>
struct moved_item<T const> {
  using type = typename moved_item<T>::type const;
};
template <class T>
using moved_item_t = typename moved_item<T>::type;

/// The items as those.
template <class T>
std::span<moved_item_t<T>> as_moved(std::span<T> items) {
  return {reinterpret_cast<moved_item_t<T>*>(items.data()), items.size()};
}

/// The compiled type as which items of T are compared by ==: integers and bools are unsigned.
template <class T>
struct compared_item {
  using type = T;
};
template <class T>
requires std::is_integral_v<T>
struct compared_item<T> {
  using type =
      std::conditional_t<std::is_const_v<T>, moved_word<sizeof(T)> const, moved_word<sizeof(T)>>;
};
template <class T>
using compared_item_t = typename compared_item<T>::type;

/// The items as those.
template <class T>
std::span<compared_item_t<T>> as_compared(std::span<T> items) {
  return {reinterpret_cast<compared_item_t<T>*>(items.data()), items.size()};
}

}  // namespace libscan::inline v1::detail
