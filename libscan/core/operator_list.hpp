// SPDX-License-Identifier: Apache-2.0
// The one list of operators that compiled code knows: the host API, the programs and scan-check. A
// new operator is one line here; whatever lacks it then does not compile. Also an operator of the
// list as a value, chosen at run time: what uses it is compiled once for all of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>

// Each list calls use(name, word): a template of libscan/core/operators.hpp, and the word for it in
// the options of programs.
#define LIBSCAN_NUMBER_OPERATORS(use) use(plus, "sum") use(minimum, "min") use(maximum, "max")
#define LIBSCAN_INTEGER_OPERATORS(use) use(bit_and, "and") use(bit_or, "or") use(bit_xor, "xor")
#define LIBSCAN_OPERATORS(use) LIBSCAN_NUMBER_OPERATORS(use) LIBSCAN_INTEGER_OPERATORS(use)

// Their names, each after a blank, as text for messages.
#define LIBSCAN_NAME_AS_TEXT(name, word) " " #name
#define LIBSCAN_OPERATOR_NAMES LIBSCAN_OPERATORS(LIBSCAN_NAME_AS_TEXT)

namespace libscan::inline v1 {

/// An operator, known at run time.
#define LIBSCAN_NAME(name, word) name,
enum class operator_kind : std::uint8_t { LIBSCAN_OPERATORS(LIBSCAN_NAME) };
#undef LIBSCAN_NAME

/// Every operator, in the order of the enumeration.
#define LIBSCAN_NAME(name, word) operator_kind::name,
inline constexpr operator_kind all_operators[] = {LIBSCAN_OPERATORS(LIBSCAN_NAME)};
#undef LIBSCAN_NAME

/// The word for an operator in the options of programs: "sum", "min", ...
constexpr char const* option_word(operator_kind kind) {
  constexpr char const* words[] = {
#define LIBSCAN_WORD(name, word) word,
      LIBSCAN_OPERATORS(LIBSCAN_WORD)
#undef LIBSCAN_WORD
  };
  return words[static_cast<std::size_t>(kind)];
}

/// Whether an operator is for integers only.
constexpr bool is_bitwise(operator_kind kind) {
#define LIBSCAN_IS(name, word) || kind == operator_kind::name
  return false LIBSCAN_INTEGER_OPERATORS(LIBSCAN_IS);
#undef LIBSCAN_IS
}

/// What the sign bit of an integer means to an operator. It decides how the operator handles signed
/// integers that are represented by unsigned words (`operator_on_words`).
enum class sign_bit : std::uint8_t {
  same_as_others,  ///< the result has the same bits for signed and for unsigned integers
  orders           ///< the result is one of the operands, chosen by <: flipped sign bits keep it
};

/// The meaning of the sign bit to each operator. An operator for which neither holds needs its own
/// case in `any_operator`.
constexpr sign_bit sign_bit_in(operator_kind kind) {
  switch (kind) {
    case operator_kind::plus:
    case operator_kind::bit_and:
    case operator_kind::bit_or:
    case operator_kind::bit_xor:
      return sign_bit::same_as_others;
    case operator_kind::minimum:
    case operator_kind::maximum:
      return sign_bit::orders;
  }
  throw invalid_argument("unknown operator");
}

/// Returns f(op) for the operator of that kind over T. Throws `invalid_argument` for an operator of
/// integers if T is none.
template <class T, class F>
decltype(auto) visit_operator(operator_kind kind, F&& f) {
#define LIBSCAN_VISIT(name, word) \
  case operator_kind::name:       \
    return f(name<T>{});
  switch (kind) {
    LIBSCAN_NUMBER_OPERATORS(LIBSCAN_VISIT)
    default:
      break;
  }
  if constexpr (std::integral<T>) {
    switch (kind) {
      LIBSCAN_INTEGER_OPERATORS(LIBSCAN_VISIT)
      default:
        break;
    }
  }
#undef LIBSCAN_VISIT
  throw invalid_argument("the operator is for integers, the items are floating-point");
}

namespace detail {

/// The kind of an operator of the list. Empty for all other types.
template <class Op>
struct operator_kind_of {};
#define LIBSCAN_KIND_OF(name, word)                             \
  template <class T>                                            \
  struct operator_kind_of<name<T>> {                            \
    static constexpr operator_kind value = operator_kind::name; \
  };
LIBSCAN_OPERATORS(LIBSCAN_KIND_OF)
#undef LIBSCAN_KIND_OF

/// True for the operators of the list.
template <class Op>
concept listed_operator = requires {
  operator_kind_of<Op>::value;
};

}  // namespace detail

namespace detail {

/// The operator over T that `which` names, by a switch in every call. Never a bitwise operator of
/// floats.
template <class T>
struct any_operator {
  using value_type = T;
  operator_kind which;
  /// The sign bit if the unsigned words represent signed integers that the operator orders,
  /// otherwise 0.
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

/// If all operators of the list are: over integers, but not over floating-point numbers.
#define LIBSCAN_IS_EXACT(name, word) &&exactly_associative<name<T>>
template <std::integral T>
inline constexpr bool exactly_associative<detail::any_operator<T>> =
    true LIBSCAN_OPERATORS(LIBSCAN_IS_EXACT);
#undef LIBSCAN_IS_EXACT

namespace detail {

/// The operator of `kind` over T. It takes signed integers as unsigned words, so one kernel is
/// compiled for both.
template <class T>
constexpr auto operator_on_words(operator_kind kind) {
  if constexpr (std::signed_integral<T>) {
    using word = std::make_unsigned_t<T>;
    constexpr auto sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1));
    return any_operator<word>{kind, sign_bit_in(kind) == sign_bit::orders ? sign : word{0}};
  } else {
    return any_operator<T>{kind};
  }
}

/// The operator over unsigned integers that gives the same bits as Op over signed ones; Op itself
/// if there is none. So kernels of sums, for example, are compiled once for both.
template <class Op>
struct without_sign {
  using type = Op;
};
template <template <class> class Op, std::signed_integral T>
requires(listed_operator<Op<T>>&& sign_bit_in(operator_kind_of<Op<T>>::value) ==
         sign_bit::same_as_others) struct without_sign<Op<T>> {
  using type = Op<std::make_unsigned_t<T>>;
};

}  // namespace detail

}  // namespace libscan::inline v1
