// SPDX-License-Identifier: Apache-2.0
// A scan by the loop that anyone would write: what wrong scans are made of.
#pragma once

#include <libscan/libscan.hpp>

namespace libscan::test {

/// Scans in[0..n-1] into out[0..n-1], and returns the total.
template <class T, class Op>
T scan_by_loop(scan_kind kind, T const* in, T* out, index_t n, Op op, T init) {
  T x = init;
  for (index_t i = 0; i < n; ++i) {
    T const next = op(x, in[i]);
    out[i] = kind == scan_kind::inclusive ? next : x;
    x = next;
  }
  return x;
}

}  // namespace libscan::test
