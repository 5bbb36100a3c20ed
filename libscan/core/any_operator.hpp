// SPDX-License-Identifier: Apache-2.0
// An operator of the list as a value, chosen at run time: what uses it is compiled once for all of
// them. Internal.
#pragma once

#include <concepts>
#include <type_traits>

#include <libscan/core/operator_list.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The operator over T that `which` names, by a switch in every call. Never a bitwise operator of
/// floats.
template <class T>
struct any_operator {
  using value_type = T;
  operator_kind which;
  /// The sign bit if the unsigned integers represent signed ones, otherwise 0: one kernel scans
  /// both.
  std::conditional_t<std::integral<T>, T, char> sign = 0;

  LIBSCAN_HOST_DEVICE constexpr T identity() const {
    switch (which) {
      case operator_kind::minimum:
        return turned(minimum<T>::identity());
      case operator_kind::maximum:
        return turned(maximum<T>::identity());
      case operator_kind::bit_and:
        if constexpr (std::integral<T>) return bit_and<T>::identity();
        break;
      case operator_kind::plus:
      case operator_kind::bit_or:
      case operator_kind::bit_xor:
        break;
    }
    return plus<T>::identity();
  }

  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    switch (which) {
      case operator_kind::minimum:
        return turned(minimum<T>{}(turned(earlier), turned(later)));
      case operator_kind::maximum:
        return turned(maximum<T>{}(turned(earlier), turned(later)));
      case operator_kind::bit_and:
        if constexpr (std::integral<T>) return bit_and<T>{}(earlier, later);
        break;
      case operator_kind::bit_or:
        if constexpr (std::integral<T>) return bit_or<T>{}(earlier, later);
        break;
      case operator_kind::bit_xor:
        if constexpr (std::integral<T>) return bit_xor<T>{}(earlier, later);
        break;
      case operator_kind::plus:
        break;
    }
    return plus<T>{}(earlier, later);
  }

 private:
  /// Converts signed integers to unsigned ones of the same order, if `sign` is set; and back.
  LIBSCAN_HOST_DEVICE constexpr T turned(T value) const {
    if constexpr (std::integral<T>) return static_cast<T>(value ^ sign);
    return value;
  }
};

}  // namespace detail

/// All six are exact over integers; a floating-point sum is not.
template <std::integral T>
inline constexpr bool exactly_associative<detail::any_operator<T>> = true;

}  // namespace libscan::inline v1
