// SPDX-License-Identifier: Apache-2.0
// Requirements of device calls on the types of items and values, checked with a message before any
// kernel is compiled.
#pragma once

#include <type_traits>

#include <libscan/core/operator_call.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
}

/// The same, and for values of T that a call accumulates in.
template <class It, class T>
constexpr void refuse_items() {
  device::refuse_items<It>();
  static_assert(
      std::is_default_constructible_v<T>,
      "libscan: device calls hold values in arrays: the type that an operator accumulates "
      "in needs a default constructor. The cpu engine takes types without one");
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
