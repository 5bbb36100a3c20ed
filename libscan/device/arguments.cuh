// SPDX-License-Identifier: Apache-2.0
// What device calls refuse: types of items and values, with a message before any kernel is
// compiled, and outputs that share memory with what is read, and misaligned pointers, before
// anything is launched. The memory of iterators other than pointers is unknown.
#pragma once

#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

using libscan::detail::memory_span;
using libscan::detail::require_in_place_or_no_overlap;
using libscan::detail::require_no_overlap;

/// The memory of n items. Refuses volatile ones, and misaligned ones: a GPU would fail at them, and
/// take nothing after that.
template <class It>
memory_span memory_of(It const&, index_t) {
  return {};
}
template <class T>
memory_span memory_of(T* const& items, index_t n) {
  libscan::detail::refuse_volatile<T*>();
  if constexpr (!std::is_void_v<T>) libscan::detail::require_aligned(items);
  return {items, n, sizeof(T)};
}

/// Throws `invalid_argument` if one of some pointers is misaligned. Other iterators are not
/// checked.
template <class... Its>
void require_aligned(Its const&... items) {
  (static_cast<void>(device::memory_of(items, 0)), ...);
}

/// The largest items and values of device calls. The values of a warp must fit in the shared memory
/// of a block, and some kernels keep them there twice.
inline constexpr std::size_t max_value_bytes = 2048;
template <class T>
inline constexpr bool fits_in_kernels = sizeof(T) <= max_value_bytes;
template <>
inline constexpr bool fits_in_kernels<void> = true;

/// Refuses items of `It` that kernels cannot hold: kernels keep items in arrays, which exist before
/// they are filled.
template <class It>
constexpr void refuse_items() {
  using item = typename libscan::detail::iterated_item<It>::type;
  libscan::detail::refuse_volatile<It>();
  // The return type of `__device__ auto operator[]` is void to nvcc when it compiles for the host.
  static_assert(
      std::is_void_v<item> || std::is_default_constructible_v<item>,
      "libscan: device calls hold items in arrays: their type needs a default constructor "
      "(one that is trivial costs nothing). The cpu engine takes types without one");
  static_assert(
      fits_in_kernels<item>,
      "libscan: device calls take items of up to 2 KiB. Scan or sort pointers or positions "
      "of larger ones; the cpu engine takes items of up to 1 MiB");
}

/// The same, and for values of T that a call accumulates in.
template <class It, class T>
constexpr void refuse_items() {
  device::refuse_items<It>();
  static_assert(
      std::is_default_constructible_v<T>,
      "libscan: device calls hold values in arrays: the type that an operator accumulates "
      "in needs a default constructor. The cpu engine takes types without one");
  static_assert(fits_in_kernels<T>,
                "libscan: device calls accumulate in values of up to 2 KiB; the cpu engine takes "
                "values of up to 1 MiB");
  using item = typename libscan::detail::iterated_item<It>::type;
  static_assert(std::is_void_v<item> || std::is_constructible_v<T, item>,
                "libscan: the items do not convert to the type that the operator accumulates in");
}

/// Refuses results of T that `Out` cannot hold, if the type of a pointer shows it.
template <class T, class Out>
constexpr void refuse_results() {
  if constexpr (std::is_pointer_v<Out> && !std::is_void_v<T>) {
    using result = std::remove_pointer_t<Out>;
    static_assert(!std::is_const_v<result> && (std::is_assignable_v<result&, T const&> ||
                                               std::is_constructible_v<result, T const&>),
                  "libscan: the output cannot be written (is it const?), or results do not convert "
                  "to what it holds");
  }
}

/// What an iterator gives for an item, in kernels; void if nvcc does not know its type.
template <class It>
using given_item = std::add_lvalue_reference_t<
    std::add_const_t<typename libscan::detail::iterated_item<It>::type>>;

/// Refuses values that a sort cannot move.
template <class Value>
constexpr void refuse_moved() {
  device::refuse_items<Value*>();
  static_assert(std::is_trivially_copyable_v<Value>,
                "libscan: this call moves items by their bytes, so that their type must be "
                "trivially copyable");
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
