// SPDX-License-Identifier: Apache-2.0
// Items from the last to the first.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// An iterator over items from the last to the first; `end` is behind the last.
template <class It>
struct reversed {
  It end;

  __device__ decltype(auto) operator[](index_t i) const { return end[-1 - i]; }
  __device__ reversed operator+(index_t distance) const { return {end + -distance}; }
};

/// The items of a call from the last to the first, wherever the last is: kernels go on with
/// `counted(it, n)` as soon as they know n. So nothing moves `first` on the host, and n may be in
/// device memory.
template <class It>
struct from_last {
  It first;
};

/// The iterator of a call of n items: what a kernel was given, or the `reversed` one in its place.
template <class It>
__device__ __forceinline__ It counted(It it, index_t /*n*/) {
  return it;
}
template <class It>
__device__ __forceinline__ reversed<It> counted(from_last<It> it, index_t n) {
  return {it.first + n};
}

}  // namespace libscan::inline LIBSCAN_MACHINE
