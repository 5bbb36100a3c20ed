// SPDX-License-Identifier: Apache-2.0
// The library's own scan, as one strategy among the others.
#pragma once

#include <libscan/scan.cuh>
#include <libscan/textbook/names.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// `libscan::exclusive_scan` and `inclusive_scan`, with their tuning. Reads n, writes n.
struct production {
  static constexpr scan_strategy which = scan_strategy::production;

  template <class T, class Out>
  static constexpr std::size_t workspace_bytes(index_t n) {
    return libscan::scan_workspace_bytes<T>(n);
  }

  template <scan_kind Kind, class In, class Out, class Op>
  static void scan(workspace& ws, In in, Out out, index_t n, Op op,
                   typename Op::value_type* d_total, typename Op::value_type init) {
    if constexpr (Kind == scan_kind::exclusive) {
      libscan::exclusive_scan(ws, in, out, n, op, d_total, init);
    } else {
      libscan::inclusive_scan(ws, in, out, n, op, d_total, init);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
