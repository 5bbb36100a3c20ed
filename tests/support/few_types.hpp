// SPDX-License-Identifier: Apache-2.0
// How many types and operators, and how many ways of computing with them, a test compiles. Kernels
// take long to compile, so there are three breadths; the build system chooses one:
//   LIBSCAN_TEST_QUICK      quick: every operation and every way, with one type each
//   LIBSCAN_TEST_FEW_TYPES  few: every way, operator and size of items, but not all pairs of them
//   neither                 all
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

namespace libscan::test {

#if defined(LIBSCAN_TEST_QUICK)
inline constexpr bool quick_types = true, few_types = true;
#elif defined(LIBSCAN_TEST_FEW_TYPES)
inline constexpr bool quick_types = false, few_types = true;
#else
inline constexpr bool quick_types = false, few_types = false;
#endif

/// The tuples of the chosen breadth as one; the last tuple is of the breadth `all`.
template <class... Tuples>
struct types_of_breadth;
template <class Few, class All>
struct types_of_breadth<Few, All> {
  using type =
      std::conditional_t<few_types, Few,
                         decltype(std::tuple_cat(std::declval<Few>(), std::declval<All>()))>;
};
template <class Quick, class Few, class All>
struct types_of_breadth<Quick, Few, All> {
  using more = typename types_of_breadth<Few, All>::type;
  using type =
      std::conditional_t<quick_types, Quick,
                         decltype(std::tuple_cat(std::declval<Quick>(), std::declval<more>()))>;
};

/// Types to test with, as a tuple. Each breadth adds to the one before:
///   types_to_test<Few, All>         `Few` in quick builds, too
///   types_to_test<Quick, Few, All>
/// A test that leaves out more asks `few_types` and `quick_types` with `if constexpr`.
template <class... Tuples>
using types_to_test = typename types_of_breadth<Tuples...>::type;

/// A type of the breadths `few` and `all`, in quick builds one that the test has anyway.
template <class Quick, class Else>
using quick_or = std::conditional_t<quick_types, Quick, Else>;

/// Where a breadth adds none.
using no_types = std::tuple<>;

/// A type or operator to test with, and the way (a tuning) to compute with it: in builds of few
/// types each has one way instead of all.
template <class Way, class With>
struct tried {
  using way = Way;
  using with = With;
};

/// The way if a test is about something else: the library's choice, which compiles every kernel
/// that it chooses from; in builds of few types `Way`.
template <class Way>
using automatic_or = std::conditional_t<few_types, Way, void>;

/// The library's choice in a list of ways, where `void` is not possible; `way_of` converts it.
struct chosen {};
template <class Way>
using way_of = std::conditional_t<std::is_same_v<Way, chosen>, void, Way>;

}  // namespace libscan::test
