// SPDX-License-Identifier: Apache-2.0
// From the operator's name to the operator: as a type, for the CPU engine, or as a value, for
// devices.
#pragma once

#include <concepts>
#include <type_traits>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::apps {

/// Calls visit(op) with the operator over T. Throws `invalid_argument` for a bitwise one of floats.
template <class T, class Visitor>
void visit_operation(operation which, Visitor&& visit) {
  if (which == operation::sum) return visit(plus<T>{});
  if (which == operation::minimum) return visit(minimum<T>{});
  if (which == operation::maximum) return visit(maximum<T>{});
  if constexpr (std::integral<T>) {
    if (which == operation::bit_and) return visit(bit_and<T>{});
    if (which == operation::bit_or) return visit(bit_or<T>{});
    return visit(bit_xor<T>{});
  } else {
    throw invalid_argument("bitwise operators are for integers, the accumulator is a float");
  }
}

/// The operator over T that `which` names, a switch at run time: on a device that is hidden behind
/// the transfers, and saves compiling every kernel six times. Never a bitwise one of floats.
template <class T>
struct chosen_operator {
  using value_type = T;
  operation which;
  /// The sign bit if the unsigned integers stand for signed ones, else 0: one kernel scans both.
  std::conditional_t<std::integral<T>, T, char> sign = 0;

  LIBSCAN_HOST_DEVICE constexpr T identity() const {
    if (which == operation::minimum) return turned(minimum<T>::identity());
    if (which == operation::maximum) return turned(maximum<T>::identity());
    if constexpr (std::integral<T>) {
      if (which == operation::bit_and) return bit_and<T>::identity();
    }
    return plus<T>::identity();
  }

  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    if (which == operation::minimum) return turned(minimum<T>{}(turned(earlier), turned(later)));
    if (which == operation::maximum) return turned(maximum<T>{}(turned(earlier), turned(later)));
    if constexpr (std::integral<T>) {
      if (which == operation::bit_and) return bit_and<T>{}(earlier, later);
      if (which == operation::bit_or) return bit_or<T>{}(earlier, later);
      if (which == operation::bit_xor) return bit_xor<T>{}(earlier, later);
    }
    return plus<T>{}(earlier, later);
  }

 private:
  /// Signed integers in their order, if `sign` is set; and back.
  LIBSCAN_HOST_DEVICE constexpr T turned(T value) const {
    if constexpr (std::integral<T>) return static_cast<T>(value ^ sign);
    return value;
  }
};

}  // namespace libscan::apps

namespace libscan::inline v1 {

/// All six are exact over integers; a floating-point sum is not.
template <std::integral T>
inline constexpr bool exactly_associative<apps::chosen_operator<T>> = true;

}  // namespace libscan::inline v1
