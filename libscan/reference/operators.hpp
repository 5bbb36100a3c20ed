// SPDX-License-Identifier: Apache-2.0
// What each operator means, written without the library's own operators: the oracle of tests,
// --verify and scan-check.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <libscan/core/operator_list.hpp>

namespace libscan::reference {

/// earlier op later. Integers wrap around; minima and maxima are NaN if either value is, and the
/// earlier value if both are equal. Bitwise operators are for integers; of floats they give T{}.
template <class T>
T combine(operator_kind op, T earlier, T later) {
  // Of two equal values and of NaN the first counts.
  auto const chosen = [&](bool take_later) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(earlier)) return earlier;
      if (std::isnan(later)) return later;
    }
    return take_later ? later : earlier;
  };
  using bits = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  auto const a = static_cast<bits>(earlier);
  auto const b = static_cast<bits>(later);
  switch (op) {
    case operator_kind::plus:
      return static_cast<T>(a + b);
    case operator_kind::minimum:
      return chosen(later < earlier);
    case operator_kind::maximum:
      return chosen(earlier < later);
    case operator_kind::bit_and:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(a & b);
      break;
    case operator_kind::bit_or:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(a | b);
      break;
    case operator_kind::bit_xor:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(a ^ b);
      break;
  }
  return T{};
}

}  // namespace libscan::reference
