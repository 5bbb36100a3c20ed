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

}  // namespace libscan::inline LIBSCAN_MACHINE
