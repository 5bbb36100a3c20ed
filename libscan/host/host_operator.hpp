// SPDX-License-Identifier: Apache-2.0
// Operators of the host API: which ones are compiled, and the way to the others. Internal.
#pragma once

#include <concepts>
#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/host/host_items.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/host/scan_call.hpp>

namespace libscan::inline v1::detail {

/// The sum of items in their own type, or in the type that can hold it.
template <class In>
using default_sum = plus<std::conditional_t<std::is_same_v<item_of<In const>, bool>, index_t,
                                            accumulator_t<item_of<In const>>>>;

/// The type in which a call accumulates.
template <class In, class Op, class Init>
using host_value_t = operator_value_t<Op, item_of<In const> const*, Init>;

/// The compiled operator that `Op` is over T, or equals; void if there is none.
template <class Op, class T>
struct listed_operator_of {
  using type = std::conditional_t<listed_operator<typename library_operator_of<Op, T>::type>,
                                  typename library_operator_of<Op, T>::type, void>;
};
template <listed_operator Op, class T>
struct listed_operator_of<Op, T> {
  using type = Op;
};

/// The types of a call as compiled code knows them.
template <class In, class Op, class Init>
struct host_types {
  using value_type = host_value_t<In, Op, Init>;
  using twin = typename listed_operator_of<Op, value_type>::type;
  static constexpr bool compiled =
      listed_item<value_type> && listed_input<item_of<In const>> && !std::is_void_v<twin>;
  static constexpr operator_kind kind = [] {
    if constexpr (compiled) {
      return operator_kind_of<twin>::value;
    } else {
      return operator_kind::plus;
    }
  }();

  /// The init of a compiled call; the identity if none is given.
  static constexpr value_type first(Init const& init) {
    if constexpr (std::is_same_v<Init, unstated>) {
      return static_cast<value_type>(twin::identity());
    } else {
      static_assert(std::is_convertible_v<Init, value_type>,
                    "libscan: init does not convert to the type that the operator accumulates in");
      return static_cast<value_type>(init);
    }
  }
};

/// Complex numbers whose parts compiled code knows.
template <class T>
concept compiled_complex = complex_number<T> && listed_item<typename T::value_type>;

/// How compiled code combines neighbors of T as `Op` does; not `included` if it cannot.
template <class Op, class T, class Twin = typename listed_operator_of<Op, T>::type>
struct compiled_neighbors {
  static constexpr bool included = false;
  static constexpr neighbor_operator how = {};
};
template <class T, class Twin>
struct compiled_neighbors<later_minus_earlier, T, Twin> {
  static constexpr bool included = listed_item<T>;
  static constexpr neighbor_operator how = {};
};
template <class Op, listed_item T, listed_operator Twin>
requires same_item<typename Twin::value_type, T>
struct compiled_neighbors<Op, T, Twin> {
  static constexpr bool included = true;
  static constexpr neighbor_operator how = {false, operator_kind_of<Twin>::value};
};

/// Whether compiled code writes results of a call as `Result`.
template <class Types, class Result>
concept compiled_results = Types::compiled && result_of<Result, typename Types::value_type>;

/// Calls that are not compiled. libscan/callables.hpp makes `has_callables` true, and defines
/// `with_callables`.
template <class Op>
struct with_callables;
template <class Op>
concept has_callables = requires {
  with_callables<Op>::included;
};

/// Refuses such calls in words.
struct without_callables {
  template <class>
  static constexpr bool never = false;
#define LIBSCAN_REFUSE(T)                                                                          \
  static_assert(never<T>,                                                                          \
                "libscan.hpp is compiled for items that are integers of 8 to 64 bits, bool, "      \
                "float, double, float16 or bfloat16; for these operators over such an integer, "   \
                "float or double:" LIBSCAN_OPERATOR_NAMES                                          \
                "; and for results of "                                                            \
                "the operator's value_type (of float also 16-bit floats); neighbors are combined " \
                "in the items' type. For anything else "                                           \
                "on the cpu engine include libscan/callables.hpp, or in CUDA code "                \
                "libscan/scan.cuh.")
  template <scan_kind, scan_direction, class T, class... Args>
  static T scan(Args const&...) {
    LIBSCAN_REFUSE(T);
    return T{};
  }
  template <class T, class... Args>
  static T reduce(Args const&...) {
    LIBSCAN_REFUSE(T);
    return T{};
  }
  template <class Item, class... Args>
  static void adjacent_difference(Args const&...) {
    LIBSCAN_REFUSE(Item);
  }
  template <scan_kind, class T, class... Args>
  static void segmented_scan(Args const&...) {
    LIBSCAN_REFUSE(T);
  }
  template <class T, class... Args>
  static index_t segmented_reduce(Args const&...) {
    LIBSCAN_REFUSE(T);
    return 0;
  }
  template <class T, class... Args>
  static index_t reduce_by_key(Args const&...) {
    LIBSCAN_REFUSE(T);
    return 0;
  }
#undef LIBSCAN_REFUSE
};

template <class Op>
struct callables_of {
  using type = without_callables;
};
template <has_callables Op>
struct callables_of<Op> {
  using type = with_callables<Op>;
};

/// The code for operators, items and results that are not compiled.
template <class Op>
using by_callables = typename callables_of<Op>::type;

}  // namespace libscan::inline v1::detail
