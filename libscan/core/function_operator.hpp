// SPDX-License-Identifier: Apache-2.0
// Operators from any callable: functors, lambdas, pointers to functions, those of the standard
// library, CUDA and CUB. A scan needs a type to accumulate in and an identity. The type follows
// from `init` and the items. The identity is looked up, stated, or made by `optional_value`. Calls
// adapt what works and refuse the rest with a message.
#pragma once

#include <concepts>
#include <functional>
#include <span>  // and so std::iterator_traits; <iterator> also has streams, which compile slowly
#include <type_traits>
#include <utility>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// The identity of a callable on values of T, if it has an exact one. Specialize it for your own
/// callable, with a static constexpr member function `identity()` that returns a T.
template <class Op, class T>
struct identity_of {};

/// A callable with an identity that you state: `with_identity{op, identity}` is an operator that
/// accumulates in the identity's type.
template <class Op, class T>
struct with_identity {
  using value_type = T;
  Op op;
  T value;

  LIBSCAN_HOST_DEVICE constexpr T identity() const { return value; }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T const& earlier, T const& later) const {
    return static_cast<T>(op(earlier, later));
  }
};
/// From a callable and its identity.
template <class Op, class T>
with_identity(Op, T) -> with_identity<Op, T>;

/// A value, or none: what a scan accumulates in if the callable's identity is unknown.
template <class T>
struct optional_value {
  T value;
  bool present;

  optional_value() = default;
  /// The value that an item is converted to.
  template <class Item>
  requires std::is_constructible_v<T, Item const&> &&
      (!std::is_same_v<Item, optional_value>)LIBSCAN_HOST_DEVICE
      constexpr optional_value(Item const& item)
      : value(static_cast<T>(item)), present(true) {}
  LIBSCAN_HOST_DEVICE constexpr operator T() const { return value; }
};

/// The stored type of totals: an `optional_value` is stored as its value.
template <class T>
struct total_value {
  using type = T;
};
template <class T>
struct total_value<optional_value<T>> {
  using type = T;
};
template <class T>
using total_value_t = typename total_value<T>::type;

/// The type of an `init` that is not given.
struct unstated {
  /// The default argument; there is no other way to make one.
  static constexpr unstated init() { return unstated(0); }

 private:
  explicit constexpr unstated(int) {}
};

namespace detail {

/// A callable whose identity comes from `identity_of`.
template <class Op, class T>
struct identified {
  using value_type = T;
  Op op;

  LIBSCAN_HOST_DEVICE static constexpr T identity() { return identity_of<Op, T>::identity(); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T const& earlier, T const& later) const {
    return static_cast<T>(op(earlier, later));
  }
};

/// A callable whose identity is unknown and never needed: the missing value is the identity.
template <class Op, class T>
struct lifted {
  using value_type = optional_value<T>;
  Op op;

  LIBSCAN_HOST_DEVICE static constexpr value_type identity() { return value_type{}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type const& earlier,
                                                      value_type const& later) const {
    if (!earlier.present) return later;
    if (!later.present) return earlier;
    return value_type(static_cast<T>(op(earlier.value, later.value)));
  }
};

/// Products of numbers; integers wrap around.
template <class T>
struct product {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return T(1); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const {
    if constexpr (std::is_integral_v<T>) {
      // 64 bits: unsigned types narrower than int would be promoted to int.
      return static_cast<T>(static_cast<unsigned long long>(earlier) *
                            static_cast<unsigned long long>(later));
    } else {
      return earlier * later;
    }
  }
};

/// The library's operator that equals a callable of the standard library on values of T; void if
/// there is none. (Device code may not call those of the standard library.)
template <class Op, class T>
struct library_operator_of {
  using type = void;
};
template <class T, class U>
concept value_of_library_operator = (std::is_same_v<U, void> ||
                                     std::is_same_v<U, T>)&&std::is_arithmetic_v<T> &&
                                    !std::is_same_v<T, bool>;
template <class T, class U>
requires value_of_library_operator<T, U>
struct library_operator_of<std::plus<U>, T> {
  using type = plus<T>;
};
template <class T, class U>
requires value_of_library_operator<T, U>
struct library_operator_of<std::multiplies<U>, T> {
  using type = product<T>;
};
template <std::integral T, class U>
requires value_of_library_operator<T, U>
struct library_operator_of<std::bit_and<U>, T> {
  using type = bit_and<T>;
};
template <std::integral T, class U>
requires value_of_library_operator<T, U>
struct library_operator_of<std::bit_or<U>, T> {
  using type = bit_or<T>;
};
template <std::integral T, class U>
requires value_of_library_operator<T, U>
struct library_operator_of<std::bit_xor<U>, T> {
  using type = bit_xor<T>;
};

/// The operator that a callable becomes on values of T.
template <class Op, class T>
struct operator_from {
  static constexpr bool knows_identity = requires { identity_of<Op, T>::identity(); };
  using adapter = std::conditional_t<knows_identity, identified<Op, T>, lifted<Op, T>>;
  using twin = typename library_operator_of<Op, T>::type;
  static constexpr bool has_library_operator = !std::is_void_v<twin>;
  using type = std::conditional_t<has_library_operator, twin, adapter>;
  static constexpr bool has_identity = knows_identity || has_library_operator;
};

/// The type of an iterator's items, even if only a device can read them.
template <class It>
struct iterated_item {
  using type = std::remove_cvref_t<decltype(std::declval<It const&>()[0])>;
};
template <class It>
requires requires { typename std::iterator_traits<It>::value_type; }
struct iterated_item<It> {
  using type = std::remove_cv_t<typename std::iterator_traits<It>::value_type>;
};

/// Whether nvcc's host pass cannot see the callable's result.
template <class Op>
inline constexpr bool returns_unseen =
#ifdef __CUDACC_EXTENDED_LAMBDA__
    __nv_is_extended_device_lambda_closure_type(Op);
#else
    false;
#endif

/// The type in which op(init, item) accumulates.
template <class Op, class First, class Item>
struct accumulated {
  using type = First;
};
template <class Op>
concept states_value = requires {
  typename Op::value_type;
};
template <class Op, class First, class Item>
concept returns_value = !states_value<Op> && !returns_unseen<Op> &&
                        std::is_invocable_v<Op const&, First const&, Item const&>;
template <class Op, class First, class Item>
requires returns_value<Op, First, Item>
struct accumulated<Op, First, Item> {
  using type = std::decay_t<std::invoke_result_t<Op const&, First const&, Item const&>>;
};
template <states_value Op, class First, class Item>
struct accumulated<Op, First, Item> {
  using type = typename Op::value_type;
};
template <class Op, class In, class Init>
struct called_value {
  using item = typename iterated_item<In>::type;
  using first = std::conditional_t<std::is_same_v<Init, unstated>, item, Init>;
  using type = typename accumulated<Op, first, item>::type;
};

}  // namespace detail

/// The type in which a scan of `In` by `Op` accumulates, and the type of its totals:
/// Op::value_type; without one, the type of op(init, item), or of op(item, item) if there is no
/// init.
template <class Op, class In, class Init = unstated>
using operator_value_t = typename detail::called_value<Op, In, Init>::type;

/// The type to pass to functions that return the size of a call's workspace. It is larger than
/// `operator_value_t` if the callable's identity is unknown.
template <class Op, class In, class Init = unstated>
using workspace_value_t = typename std::conditional_t<
    monoid<Op>, std::type_identity<operator_value_t<Op, In, Init>>,
    std::conditional_t<detail::operator_from<Op, operator_value_t<Op, In, Init>>::has_identity,
                       std::type_identity<operator_value_t<Op, In, Init>>,
                       std::type_identity<optional_value<operator_value_t<Op, In, Init>>>>>::type;

/// As exact and commutative as the callable; you may specialize these for the callable.
template <class Op, class T>
inline constexpr bool exactly_associative<with_identity<Op, T>> = exactly_associative<Op>;
template <class Op, class T>
inline constexpr bool commutative<with_identity<Op, T>> = commutative<Op>;
template <class Op, class T>
inline constexpr bool exactly_associative<detail::identified<Op, T>> = exactly_associative<Op>;
template <class Op, class T>
inline constexpr bool commutative<detail::identified<Op, T>> = commutative<Op>;
template <std::integral T>
inline constexpr bool exactly_associative<detail::product<T>> = true;
template <class T>
inline constexpr bool commutative<detail::product<T>> = true;
template <class Op, class T>
inline constexpr bool exactly_associative<detail::lifted<Op, T>> = exactly_associative<Op>;
template <class Op, class T>
inline constexpr bool commutative<detail::lifted<Op, T>> = commutative<Op>;

}  // namespace libscan::inline v1

namespace libscan::inline v1::detail {

template <class Op>
inline constexpr bool is_std_minus = false;
template <class T>
inline constexpr bool is_std_minus<std::minus<T>> = true;

/// Refuses a callable that cannot be an operator on T, with a message; otherwise true.
template <class Op, class T>
constexpr bool refuse_callable() {
  constexpr bool called = returns_unseen<Op> || requires(Op const& op, T const& a) {
    { op(a, a) } -> std::convertible_to<T>;
  };
  constexpr bool values = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;
  static_assert(
      called,
      "libscan: the operator cannot be called as op(earlier, later), const, on two values "
      "of the type it accumulates in, with a result that converts to it. That type is "
      "Op::value_type or, without one, that of op(init, item). (Sum float16 and bfloat16 "
      "by plus<float>.)");
  static_assert(
      !called || std::is_trivially_copyable_v<Op>,
      "libscan: the operator is not trivially copyable; threads and kernels copy it by its "
      "bytes, so it may hold no container and no std::function");
  static_assert(
      !called || values,
      "libscan: the type that the operator accumulates in is not trivially copyable, or has "
      "no default constructor. For the latter give the operator value_type and identity(), "
      "or state the identity by with_identity");
  return called && values && std::is_trivially_copyable_v<Op>;
}

/// Whether a call has to adapt an operator: it is no monoid, or no `init` is given.
template <class Op, class Init>
concept adapted = !monoid<Op> || std::is_same_v<Init, unstated>;

/// The value of an `init` that is not given. `if_no_identity`: the identity, which must be known.
/// `never`: each result has an item, so no init is needed.
enum class init_needed { if_no_identity, never };

/// An operator for a scan of `In`, and its first value.
template <class Op, class In, class Init, init_needed Needed>
struct operator_call {
  using value_type = typename called_value<Op, In, Init>::type;
  static constexpr bool stated = !std::is_same_v<Init, unstated>;

  static constexpr bool accepted() {
    if constexpr (monoid<Op>) {
      return true;
    } else if constexpr (!detail::refuse_callable<Op, value_type>()) {
      return false;
    } else {
      constexpr bool enough =
          stated || Needed == init_needed::never || operator_from<Op, value_type>::has_identity;
      static_assert(enough,
                    "libscan: this call needs an init: the identity of the operator is not known, "
                    "and a result may have no item. State init, specialize identity_of, or use "
                    "with_identity");
      constexpr bool converts = !stated || std::is_convertible_v<Init, value_type>;
      static_assert(converts, "libscan: init does not convert to the operator's value type");
      return enough && converts;
    }
  }

  /// Calls body(operator, init) with the operator and init that scans take.
  template <class Body>
  static constexpr decltype(auto) run(Op const& op, [[maybe_unused]] Init const& init,
                                      Body const& body) {
    if constexpr (monoid<Op>) {
      return body(op, value_type(op.identity()));
    } else {
      using made = typename operator_from<Op, value_type>::type;
      made const use = [&] {
        if constexpr (operator_from<Op, value_type>::has_library_operator) {
          return made{};
        } else {
          return made{op};
        }
      }();
      if constexpr (std::is_same_v<Init, typename made::value_type>) {
        return body(use, init);
      } else if constexpr (std::is_same_v<Init, value_type>) {
        return body(use, typename made::value_type(init));
      } else if constexpr (stated) {
        return body(use, typename made::value_type(static_cast<value_type>(init)));
      } else {
        return body(use, typename made::value_type(use.identity()));
      }
    }
  }
};

/// Refuses what cannot combine neighbors of `It`, and a subtraction of the wrong sign.
template <class It, class Op>
constexpr void refuse_difference() {
  using item = typename iterated_item<It>::type;
  static_assert(!std::is_void_v<item>,
                "libscan: the type of the items is unknown: nvcc's host pass cannot deduce the "
                "result of a __device__ operator[] that returns auto. State its return type");
  constexpr bool called = returns_unseen<Op> || requires(Op const& op, item const& x) { op(x, x); };
  static_assert(called,
                "libscan: neighbors cannot be combined as op(earlier, later), const (by default "
                "later - earlier, of anything but bool)");
  static_assert(!is_std_minus<Op>,
                "libscan: adjacent_difference calls op(earlier, later), so std::minus would give "
                "earlier - later. Leave the operator out for later - earlier, or say what you want "
                "in a lambda");
}

/// Refuses a `Keep` that cannot decide about an `Item`, as an iterator gives it: usually a
/// reference.
template <class Item, class Keep>
constexpr void refuse_predicate() {
  constexpr bool called =
      std::is_void_v<Item> || returns_unseen<Keep> || requires(Keep const& keep) {
    keep(std::declval<Item>()) ? 1 : 0;
  };
  static_assert(called,
                "libscan: the predicate cannot be called as keep(item), const, with a result that "
                "is true or false");
  static_assert(std::is_copy_constructible_v<Keep>,
                "libscan: the predicate cannot be copied, and every thread has a copy of its own: "
                "capture a pointer or a reference in place of what only moves");
}

/// Refuses an `Equal` that cannot compare neighbors, each an `Item`.
template <class Item, class Equal>
constexpr void refuse_comparison() {
  constexpr bool called =
      std::is_void_v<Item> || returns_unseen<Equal> || requires(Equal const& equal) {
    equal(std::declval<Item>(), std::declval<Item>()) ? 1 : 0;
  };
  static_assert(called,
                "libscan: neighbors cannot be compared as equal(earlier, later), const, with a "
                "result that is true or false");
  static_assert(std::is_copy_constructible_v<Equal>,
                "libscan: the comparison cannot be copied, and every thread has a copy of its own: "
                "capture a pointer or a reference in place of what only moves");
  // It takes anything, and fails inside.
  constexpr bool has_equality =
      std::is_void_v<Item> || !std::is_same_v<Equal, equal_values> || requires {
    std::declval<Item>() == std::declval<Item>() ? 1 : 0;
  };
  static_assert(has_equality,
                "libscan: neighbors cannot be compared by ==; state how they are, as "
                "equal(earlier, later)");
}

/// The same of the keys of segments that are given by keys; `Given` is what their iterator gives.
template <class Heads, template <class> class Given>
constexpr void refuse_heads() {
  if constexpr (requires(Heads const& heads) {
                  heads.keys;
                  heads.equal;
                }) {
    detail::refuse_comparison<Given<decltype(Heads::keys)>, decltype(Heads::equal)>();
  }
}

/// Refuses items that no call can read or write.
template <class It>
constexpr void refuse_volatile() {
  static_assert(
      !std::is_volatile_v<std::remove_reference_t<decltype(std::declval<It const&>()[0])>>,
      "libscan: the items are volatile; calls read and write items at any time and in any order: "
      "pass a pointer to items that are not volatile");
}

}  // namespace libscan::inline v1::detail
