// SPDX-License-Identifier: Apache-2.0
// The operators of scans. An operator is a monoid: an associative function with an exact identity.
// It need not commute: unless it is declared `commutative`, it is only called as op(earlier, later)
// (Blelloch 1990, 1.2). Also the relation that separates segments and runs, and the difference of
// neighbors.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include <libscan/core/floats.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// The requirements on a scan's operator: the type it accumulates in, an associative call, and an
/// exact identity: op(identity, x) == op(x, identity) == x for every x, bit for bit (-0.0 and NaN
/// included). `identity()` may depend on the operator's state. Calls also accept other callables:
/// see libscan/core/function_operator.hpp.
template <class Op>
concept monoid = std::is_trivially_copyable_v<Op> &&
    std::is_trivially_copyable_v<typename Op::value_type> &&
    requires(Op const op, typename Op::value_type const a) {
  { op(a, a) } -> std::convertible_to<typename Op::value_type>;
  { op.identity() } -> std::convertible_to<typename Op::value_type>;
};

namespace detail {

/// a + b with wrap-around for integers of either sign; plain addition otherwise.
template <class T>
LIBSCAN_HOST_DEVICE constexpr T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return detail::as_written(detail::as_written(a) + detail::as_written(b));
  } else {
    return a + b;
  }
}

/// Values that `plus` can add; not bool.
template <class T>
concept addable = !std::is_same_v<T, bool> && requires(T const a) {
  static_cast<T>(a + a);
  static_cast<T>(0);
};
/// Values that `minimum` and `maximum` can compare.
template <class T>
concept comparable = requires(T const a) {
  static_cast<bool>(a < a);
};

// As variables, since device code may use their values but may not call std::numeric_limits.
template <class T>
inline constexpr T greatest = std::numeric_limits<T>::has_infinity
                                  ? std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::max();
template <class T>
constexpr T lowest_or_infinity() {
  if constexpr (std::numeric_limits<T>::has_infinity) {
    return -std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::lowest();  // T may have no unary minus
  }
}
template <class T>
inline constexpr T lowest = detail::lowest_or_infinity<T>();

/// The representation of a duration, or of the duration of a time point (std::chrono and
/// cuda::std::chrono); void for other types.
template <class T>
struct time_content {
  using type = void;
};
template <class T>
requires requires {
  typename T::rep;
  typename T::period;
  T(typename T::rep{});
}
struct time_content<T> {
  using type = typename T::rep;
};
template <class T>
requires requires {
  typename T::clock;
  typename T::duration;
  T(typename T::duration{});
}
struct time_content<T> {
  using type = typename T::duration;
};

/// Whether the largest and the smallest value of T are known: std::numeric_limits is specialized
/// for T (otherwise it gives T{} for both), or T is a time with such a representation.
template <class T>
inline constexpr bool has_limits =
    std::numeric_limits<T>::is_specialized || has_limits<typename time_content<T>::type>;
template <>
inline constexpr bool has_limits<void> = false;

/// The largest value of T, or +infinity; and the smallest one.
template <class T>
requires has_limits<T> LIBSCAN_HOST_DEVICE constexpr T greatest_value() {
  using content = typename time_content<T>::type;
  if constexpr (std::is_void_v<content>) {
    return greatest<T>;
  } else {
    return T(detail::greatest_value<content>());
  }
}
template <class T>
requires has_limits<T> LIBSCAN_HOST_DEVICE constexpr T min_value() {
  using content = typename time_content<T>::type;
  if constexpr (std::is_void_v<content>) {
    return lowest<T>;
  } else {
    return T(detail::min_value<content>());
  }
}

/// Complex numbers of two floating-point parts, the real one first: std::complex and types like it.
template <class T>
concept complex_number = std::is_floating_point_v<typename T::value_type> &&
                             sizeof(T) == 2 * sizeof(typename T::value_type) &&
                         requires(T const z) {
  T(z.real(), z.imag());
};

/// The value that changes no sum of T, bit for bit: -0.0 for floating-point numbers.
template <class T>
LIBSCAN_HOST_DEVICE constexpr T zero_value() {
  if constexpr (std::is_floating_point_v<T>) {
    return T(-0.0);
  } else if constexpr (std::is_floating_point_v<typename time_content<T>::type>) {
    return T(typename time_content<T>::type(-0.0));
  } else if constexpr (complex_number<T>) {
    return T(typename T::value_type(-0.0), typename T::value_type(-0.0));
  } else {
    return T(0);
  }
}

}  // namespace detail

/// Sum in T. Integers wrap around. The floating-point identity is -0.0, so padding never turns a
/// -0.0 into +0.0.
template <class T>
struct plus {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return detail::zero_value<T>(); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const requires detail::addable<T> {
    return detail::wrapping_add(earlier, later);
  }
};

/// The smaller value; the earlier one if they compare equal; NaN if either is NaN. Identity:
/// +infinity, or the largest value of std::numeric_limits<T> (for times of std::chrono, of their
/// representation). Without std::numeric_limits<T> there is no identity, and calls treat it as a
/// callable: see identity_of (libscan/core/function_operator.hpp) for how to state one.
template <class T>
struct minimum {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() requires detail::has_limits<T> {
    return detail::greatest_value<T>();
  }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier,
                                             T later) const requires detail::comparable<T> {
    return detail::less(later, earlier) || detail::is_nan(later) ? later : earlier;
  }
};

/// The larger value; the earlier one if they compare equal; NaN if either is NaN. Identity:
/// -infinity, or the smallest value of std::numeric_limits<T>. Otherwise as `minimum`.
template <class T>
struct maximum {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() requires detail::has_limits<T> {
    return detail::min_value<T>();
  }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier,
                                             T later) const requires detail::comparable<T> {
    return detail::less(earlier, later) || detail::is_nan(later) ? later : earlier;
  }
};

/// Bitwise and of integers; identity: all ones.
template <std::integral T>
struct bit_and {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return static_cast<T>(~T(0)); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    return static_cast<T>(earlier & later);
  }
};

/// Bitwise or of integers; identity: 0.
template <std::integral T>
struct bit_or {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return T(0); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    return static_cast<T>(earlier | later);
  }
};

/// Bitwise exclusive or of integers; identity: 0.
template <std::integral T>
struct bit_xor {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return T(0); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    return static_cast<T>(earlier ^ later);
  }
};

/// Op with its operands swapped, for scans from the end: what they read first is later in memory.
template <class Op>
struct swap_operands {
  using value_type = typename Op::value_type;
  Op op{};

  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return op.identity(); }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type const& first,
                                                      value_type const& second) const {
    return op(second, first);
  }
};

/// ==, as a functor: whether neighbors belong to one segment or run.
struct equal_values {
  template <class Item>
  LIBSCAN_HOST_DEVICE constexpr bool operator()(Item const& earlier, Item const& later) const {
    return detail::equal(earlier, later);
  }
};

/// later - earlier: the default of `adjacent_difference`, which needs no monoid. Integers wrap
/// around in their own type; 16-bit floats are subtracted as float.
struct later_minus_earlier {
  template <class Item, class T = accumulator_t<Item>>
  requires(!std::is_same_v<Item, bool>) LIBSCAN_HOST_DEVICE constexpr auto operator()(
      Item const& earlier, Item const& later) const
      -> std::conditional_t<std::is_integral_v<T>, T, decltype(T(later) - T(earlier))> {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(later) - static_cast<U>(earlier)));
    } else {
      return detail::as_written(detail::as_written(T(later)) - detail::as_written(T(earlier)));
    }
  }
};

/// Whether every order of association gives the same bits, so a scan may choose the fastest. True
/// for the operators above, except floating-point sums; specialize it for your own exact operator.
/// If it is false, scans use one order, which depends only on the number of items.
template <class Op>
inline constexpr bool exactly_associative = false;
template <std::integral T>
inline constexpr bool exactly_associative<plus<T>> = true;
template <class T>
inline constexpr bool exactly_associative<minimum<T>> = true;
template <class T>
inline constexpr bool exactly_associative<maximum<T>> = true;
template <class T>
inline constexpr bool exactly_associative<bit_and<T>> = true;
template <class T>
inline constexpr bool exactly_associative<bit_or<T>> = true;
template <class T>
inline constexpr bool exactly_associative<bit_xor<T>> = true;
template <class Op>
inline constexpr bool exactly_associative<swap_operands<Op>> = exactly_associative<Op>;

/// Whether op(a, b) and op(b, a) are the same, except for payloads of NaNs. If so, totals may
/// combine items in another order, but always in the same one. Specialize it for your own operator.
template <class Op>
inline constexpr bool commutative = false;
template <class T>
inline constexpr bool commutative<plus<T>> = std::is_arithmetic_v<T>;
template <std::integral T>
inline constexpr bool commutative<minimum<T>> = true;
template <std::integral T>
inline constexpr bool commutative<maximum<T>> = true;
template <class T>
inline constexpr bool commutative<bit_and<T>> = true;
template <class T>
inline constexpr bool commutative<bit_or<T>> = true;
template <class T>
inline constexpr bool commutative<bit_xor<T>> = true;
template <class Op>
inline constexpr bool commutative<swap_operands<Op>> = commutative<Op>;

}  // namespace libscan::inline v1
