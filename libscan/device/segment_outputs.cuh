// SPDX-License-Identifier: Apache-2.0
// Where the totals of segments go, and the keys of runs.
#pragma once

#include <iterator>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What becomes of the key of a segment that begins at item i: nothing.
struct no_keys {
  struct key_type {};
  __device__ key_type key(index_t /*i*/) const { return {}; }
  __device__ void store(index_t /*segment*/, key_type /*key*/) const {}
};
/// It is stored.
template <class Keys, class Out>
struct unique_keys {
  using key_type = typename std::iterator_traits<Keys>::value_type;
  Keys keys;
  Out out;
  __device__ key_type key(index_t i) const { return keys[i]; }
  __device__ void store(index_t segment, key_type const& key) const { out[segment] = key; }
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
