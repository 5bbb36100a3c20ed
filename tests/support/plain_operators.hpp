// SPDX-License-Identifier: Apache-2.0
// The library's operators again, written in another way: an oracle that called the functor under
// test would repeat its mistakes. A test's own operators are used directly.
#pragma once

#include <type_traits>

#include <libscan/core/operator_list.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::test {

/// Sums integers in 64 bits, modulo the range of T; other types by their own addition.
template <class T>
struct plain_plus {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
      return static_cast<T>(static_cast<unsigned long long>(earlier) +
                            static_cast<unsigned long long>(later));
    } else {
      return earlier + later;
    }
  }
};

/// NaN if there is one, else the smaller; the earlier of equal ones.
template <class T>
struct plain_minimum {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const {
    if (!(later == later)) return later;
    if (!(earlier == earlier)) return earlier;
    if (earlier == later) return earlier;
    return earlier < later ? earlier : later;
  }
};

/// NaN if there is one, else the larger; the earlier of equal ones.
template <class T>
struct plain_maximum {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const {
    if (!(later == later)) return later;
    if (!(earlier == earlier)) return earlier;
    if (earlier == later) return earlier;
    return earlier < later ? later : earlier;
  }
};

/// Both bits: neither may be 0 (De Morgan).
template <class T>
struct plain_and {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const { return static_cast<T>(~(~earlier | ~later)); }
};

/// Either bit: not both are 0 (De Morgan).
template <class T>
struct plain_or {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const { return static_cast<T>(~(~earlier & ~later)); }
};

/// One of the bits, but not both.
template <class T>
struct plain_xor {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const {
    return static_cast<T>((earlier | later) & ~(earlier & later));
  }
};

/// The operator that an oracle uses for Op: Op itself, unless it is the library's.
template <class Op>
struct oracle_op {
  using type = Op;
};
template <class T>
struct oracle_op<plus<T>> {
  using type = plain_plus<T>;
};
template <class T>
struct oracle_op<minimum<T>> {
  using type = plain_minimum<T>;
};
template <class T>
struct oracle_op<maximum<T>> {
  using type = plain_maximum<T>;
};
template <class T>
struct oracle_op<bit_and<T>> {
  using type = plain_and<T>;
};
template <class T>
struct oracle_op<bit_or<T>> {
  using type = plain_or<T>;
};
template <class T>
struct oracle_op<bit_xor<T>> {
  using type = plain_xor<T>;
};

#define LIBSCAN_ASSERT(name, word)                                                         \
  static_assert(!std::is_same_v<typename oracle_op<name<unsigned>>::type, name<unsigned>>, \
                "an operator of the library would be its own oracle");
LIBSCAN_OPERATORS(LIBSCAN_ASSERT)
#undef LIBSCAN_ASSERT

/// The same for an operator object, which may have state.
template <class Op>
constexpr typename oracle_op<Op>::type oracle_of(Op const& op) {
  if constexpr (std::is_same_v<typename oracle_op<Op>::type, Op>) {
    return op;
  } else {
    return {};
  }
}

}  // namespace libscan::test
