// SPDX-License-Identifier: Apache-2.0
// The integers that vector code is compiled for represent all others of their width and signedness:
// `long long` where std::int64_t is `long`, `char`, and so on.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace libscan::inline v1::cpu {

namespace detail {

/// An integer other than bool, whose sum is not a bool.
template <class T>
concept many_valued_integer = std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8;

template <class T>
struct fixed_width_of {
  using type = T;
};
template <many_valued_integer T>
struct fixed_width_of<T> {
  using word = std::conditional_t<
      sizeof(T) == 1, std::int8_t,
      std::conditional_t<sizeof(T) == 2, std::int16_t,
                         std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;
  using type = std::conditional_t<std::is_signed_v<T>, word, std::make_unsigned_t<word>>;
};

}  // namespace detail

/// The type among std::int8_t ... std::uint64_t with the width and signedness of an integer T;
/// other types, and bool, are unchanged.
template <class T>
using fixed_width = typename detail::fixed_width_of<T>::type;

namespace detail {

/// Items of T as those of its `fixed_width`, only for code that is compiled separately: it loads
/// and stores them by their bytes.
template <class T>
auto as_fixed_width(T* items) {
  using item = fixed_width<std::remove_const_t<T>>;
  if constexpr (std::is_const_v<T>) {
    return reinterpret_cast<item const*>(items);
  } else {
    return reinterpret_cast<item*>(items);
  }
}

}  // namespace detail

}  // namespace libscan::inline v1::cpu
