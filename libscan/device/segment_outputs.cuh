// SPDX-License-Identifier: Apache-2.0
// Where the totals of segments go, and the keys of runs.
#pragma once

#include <iterator>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The key of a segment that begins at item i is discarded.
struct no_keys {
  struct key_type {};
  __device__ key_type key(index_t /*i*/) const { return {}; }
  __device__ void store(index_t /*segment*/, key_type /*key*/) const {}
};
/// The key is stored.
template <class Keys, class Out>
struct unique_keys {
  using key_type = typename std::iterator_traits<Keys>::value_type;
  Keys keys;
  Out out;
  __device__ key_type key(index_t i) const { return keys[i]; }
  __device__ void store(index_t segment, key_type const& key) const { out[segment] = key; }
};

/// Totals of the segments that are not empty: that of the segment with index k goes to totals[k],
/// or to nonempty[k] if a segment is empty, in which case *numbered is not 0. An output iterator.
template <class Totals, class T>
struct nonempty_totals {
  Totals totals;
  T* nonempty;
  index_t const* numbered;

  struct reference {
    nonempty_totals const& all;
    index_t k;
    __device__ void operator=(T const& total) const {
      if (*all.numbered == 0) {
        all.totals[k] = total;
      } else {
        all.nonempty[k] = total;
      }
    }
  };
  __device__ reference operator[](index_t k) const { return {*this, k}; }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
