// SPDX-License-Identifier: Apache-2.0
// How calls accept an operator and an `init`: they adapt what works and refuse the rest with a
// message.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>

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
        if constexpr (operator_from<Op, value_type>::has_twin) {
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
  constexpr bool called = std::is_void_v<item> || returns_unseen<Op> ||
                          requires(Op const& op, item const& x) { op(x, x); };
  static_assert(called,
                "libscan: neighbors cannot be combined as op(earlier, later), const (by default "
                "later - earlier, of anything but bool)");
  static_assert(!is_std_minus<Op>,
                "libscan: adjacent_difference calls op(earlier, later), so std::minus would give "
                "earlier - later. Leave the operator out for later - earlier, or say what you want "
                "in a lambda");
}

/// Refuses items that no scan can read.
template <class It>
constexpr void refuse_volatile() {
  static_assert(
      !std::is_volatile_v<std::remove_reference_t<decltype(std::declval<It const&>()[0])>>,
      "libscan: the items are volatile; scans read them as values, at any time and in any "
      "order: pass a pointer to items that are not volatile");
}

}  // namespace libscan::inline v1::detail
