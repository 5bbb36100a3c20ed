// SPDX-License-Identifier: Apache-2.0
// Where the totals of segments go, and the keys of runs.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What becomes of the key of a segment that begins at item i: nothing.
struct no_keys {
  __device__ void begin(index_t /*segment*/, index_t /*i*/) const {}
};
/// It is stored.
template <class Keys, class Out>
struct unique_keys {
  Keys keys;
  Out out;
  __device__ void begin(index_t segment, index_t i) const { out[segment] = keys[i]; }
};

/// Totals of the segments that are not empty: of the k-th such segment the place is places[k], or k
/// itself if none is empty and *numbered is 0. An iterator.
template <class Totals>
struct placed_totals {
  Totals totals;
  index_t const* places;
  index_t const* numbered;
  __device__ decltype(auto) operator[](index_t k) const {
    return totals[*numbered == 0 ? k : places[k]];
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
