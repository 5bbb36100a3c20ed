// SPDX-License-Identifier: Apache-2.0
// The library's operators again, written in another way: the oracles of tests, --verify and
// scan-check. An oracle that called the functor under test would repeat its mistakes.
// Also differences of neighbors, as plain loops.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <libscan/core/operator_list.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::reference {

/// Sums integers in 64 bits, modulo the range of T; other types by their own addition.
template <class T>
struct plus {
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
struct minimum {
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
struct maximum {
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
struct bit_and {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const { return static_cast<T>(~(~earlier | ~later)); }
};

/// Either bit: not both are 0 (De Morgan).
template <class T>
struct bit_or {
  using value_type = T;
  constexpr T operator()(T earlier, T later) const { return static_cast<T>(~(~earlier & ~later)); }
};

/// One of the bits, but not both.
template <class T>
struct bit_xor {
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
#define LIBSCAN_ORACLE(name, word)     \
  template <class T>                   \
  struct oracle_op<libscan::name<T>> { \
    using type = reference::name<T>;   \
  };
LIBSCAN_OPERATORS(LIBSCAN_ORACLE)
#undef LIBSCAN_ORACLE

/// The same for an operator object, which may have state.
template <class Op>
constexpr typename oracle_op<Op>::type oracle_of(Op const& op) {
  if constexpr (std::is_same_v<typename oracle_op<Op>::type, Op>) {
    return op;
  } else {
    return {};
  }
}

/// earlier op later. Bitwise operators are for integers; of floats they give T{}.
template <class T>
T combine(operator_kind op, T earlier, T later) {
#define LIBSCAN_CASE(name, word) \
  case operator_kind::name:      \
    return reference::name<T>{}(earlier, later);
  switch (op) {
    LIBSCAN_NUMBER_OPERATORS(LIBSCAN_CASE)
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      LIBSCAN_INTEGER_OPERATORS(LIBSCAN_CASE)
      default:
        break;
    }
  }
#undef LIBSCAN_CASE
  return T{};
}

/// out[0] = in[0], out[i] = op(in[i - 1], in[i]), in `Result`.
template <class Result, class Item, class Op>
std::vector<Result> adjacent_difference(std::vector<Item> const& in, Op const& op) {
  std::vector<Result> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out.push_back(i == 0 ? static_cast<Result>(in[0]) : static_cast<Result>(op(in[i - 1], in[i])));
  }
  return out;
}

/// The same with later - earlier, where integers wrap around in their own type.
template <class Item>
std::vector<Item> adjacent_difference(std::vector<Item> const& in) {
  return reference::adjacent_difference<Item>(in, [](Item earlier, Item later) {
    if constexpr (std::is_integral_v<Item>) {
      return static_cast<Item>(static_cast<unsigned long long>(later) -
                               static_cast<unsigned long long>(earlier));
    } else {
      return later - earlier;
    }
  });
}

}  // namespace libscan::reference
