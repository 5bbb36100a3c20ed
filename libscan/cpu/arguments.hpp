// SPDX-License-Identifier: Apache-2.0
// What calls of the cpu engine refuse: types, with messages at compile time, for every size of the
// input; and before they write anything, if they know the addresses, outputs that overlap what is
// read, and misaligned items. Iterators of items that need not be contiguous are not checked.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/function_operator.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

using libscan::detail::memory_span;
using libscan::detail::require_aligned;
using libscan::detail::require_in_place_or_no_overlap;
using libscan::detail::require_no_overlap;

/// The memory of n items; empty if there are none, or if they need not be contiguous. Refuses
/// volatile ones. Throws `invalid_argument` if they are misaligned.
template <class It>
memory_span memory_of(It const& items, index_t n) {
  if constexpr (std::contiguous_iterator<It>) {
    libscan::detail::refuse_volatile<It>();
    if (n <= 0) return {};
    detail::require_aligned(std::to_address(items));
    return {std::to_address(items), n, sizeof(std::iter_value_t<It>)};
  } else {
    return {};
  }
}

/// Refuses items that cannot be copied by their bytes.
template <class T>
constexpr void refuse_memory() {
  static_assert(std::is_trivially_copyable_v<T>,
                "libscan: this call copies items by their bytes, so that their type must be "
                "trivially copyable: no std::string and no container. Filter or sort positions "
                "(filter_indices, argsort), and move the items yourself");
}

/// Refuses items of `In` that do not convert to T.
template <class T, class In>
constexpr void refuse_items() {
  libscan::detail::refuse_volatile<In>();
  static_assert(std::is_constructible_v<T, std::iter_reference_t<In>>,
                "libscan: the items do not convert to the type that the operator accumulates in");
  static_assert(std::is_copy_assignable_v<T>,
                "libscan: values of the type that the operator accumulates in cannot be assigned; "
                "has it a const member or a reference?");
}

/// Whether items that `Out` writes are those of a std::vector<bool>, which share bytes.
template <class Out>
constexpr bool shares_bytes() {
  if constexpr (requires(Out const& out) { out[0]; }) {
    return std::is_same_v<decltype(std::declval<Out const&>()[0]), std::vector<bool>::reference>;
  } else {
    return false;
  }
}

/// Refuses results of T that `Out` cannot hold.
template <class T, class Out>
constexpr void refuse_results() {
  static_assert(!detail::shares_bytes<Out>(),
                "libscan: several threads write the results, and items of std::vector<bool> share "
                "bytes; take a std::vector<char>");
  constexpr bool written = requires(Out const& out, T const& result) { out[0] = result; };
  constexpr bool converted = requires(Out const& out, T const& result) {
    out[0] = static_cast<std::iter_value_t<Out>>(result);
  };
  static_assert(written || converted,
                "libscan: the output cannot be written (is it const?), or results do not convert "
                "to what it holds");
}

/// What an iterator gives for an item.
template <class It>
using given_item = decltype(std::declval<It const&>()[0]);

/// What a reduction of segments cannot read, or cannot write.
template <class T, class In, class Heads, class Totals>
constexpr void refuse_reduction() {
  detail::refuse_items<T, In>();
  libscan::detail::refuse_heads<Heads, given_item>();
  detail::refuse_results<T, Totals>();
}

}  // namespace libscan::inline v1::cpu::detail
