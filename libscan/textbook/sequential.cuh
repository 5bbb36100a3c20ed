// SPDX-License-Identifier: Apache-2.0
// One thread of the whole device does all the work (Harris 2007, "Sequential Scan"; Verona,
// "Sequential Implementation"): the fewest additions possible, and the reference for all others.
#pragma once

#include <libscan/textbook/names.hpp>
#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// The loop that every scan must agree with; its order of association is the definition.
template <scan_kind Kind, class Op>
struct sequential_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = 1;

  template <class In, class Out>
  __device__ void operator()(In in, Out out, index_t n, Op op, T init, T* total) const {
    T sum = init;
    for (index_t i = 0; i < n; ++i) {
      T const before = sum;
      sum = op(before, static_cast<T>(in[i]));
      out[i] = Kind == scan_kind::inclusive ? sum : before;
    }
    if (total != nullptr) *total = sum;
  }
};

/// A launch of a single thread; n applications of the operator. Reads n, writes n, one item after
/// the other.
struct sequential {
  static constexpr scan_strategy which = scan_strategy::sequential;

  template <class T, class Out>
  static constexpr std::size_t workspace_bytes(index_t) {
    return 0;
  }

  template <scan_kind Kind, class In, class Out, class Op>
  static void scan(workspace& ws, In in, Out out, index_t n, Op op,
                   typename Op::value_type* d_total, typename Op::value_type init) {
    simt::launch<sequential_kernel<Kind, Op>>({.blocks = 1, .threads = 1, .on = ws.stream()}, in,
                                              out, n, op, init, d_total);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
