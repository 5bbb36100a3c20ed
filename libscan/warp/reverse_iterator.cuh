// SPDX-License-Identifier: Apache-2.0
// Iterators over items from the last to the first.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// An iterator over items from the last to the first; `end` is one past the last.
template <class It>
struct reverse_iterator {
  It end;

  __device__ decltype(auto) operator[](index_t i) const { return end[-1 - i]; }
  __device__ reverse_iterator operator+(index_t distance) const { return {end + -distance}; }
};

/// The items of a call from the last to the first, before the kernel knows n. A kernel turns it
/// into an iterator by `at_length(it, n)`. The host therefore does not move `first`, and n may be
/// in device memory.
template <class It>
struct from_last {
  It first;
};

/// The iterator for a call of n items: the kernel's own, or the `reverse_iterator` one in its
/// place.
template <class It>
__device__ __forceinline__ It at_length(It it, index_t /*n*/) {
  return it;
}
template <class It>
__device__ __forceinline__ reverse_iterator<It> at_length(from_last<It> it, index_t n) {
  return {it.first + n};
}

}  // namespace libscan::inline LIBSCAN_MACHINE
