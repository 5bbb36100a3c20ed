// SPDX-License-Identifier: Apache-2.0
// Example: one operator of the user's on both engines, as docs/operators.md shows it: account
// balances with interest. A month maps a balance b to factor * b + deposit; `then` composes months.
#pragma once

#include <vector>

#include <libscan/callables.hpp>
#include <libscan/scan.cuh>

namespace examples {

struct month {
  double factor, deposit;
};

/// The earlier month, then the later one. It does not commute.
struct then {
  using value_type = month;
  LIBSCAN_HOST_DEVICE static constexpr month identity() { return {1, 0}; }

  LIBSCAN_HOST_DEVICE month operator()(month earlier, month later) const {
    return {later.factor * earlier.factor, later.factor * earlier.deposit + later.deposit};
  }
};

/// What each month and all before it do together: on host memory, by the CPU.
inline std::vector<month> all_so_far(std::vector<month> const& months) {
  std::vector<month> together(months.size());
  libscan::inclusive_scan(libscan::engine::cpu(), months, together, then{});
  return together;
}

/// The same on device memory, in the workspace's stream.
inline void all_so_far(libscan::workspace& ws, month const* d_months, month* d_together,
                       libscan::index_t n) {
  libscan::inclusive_scan(ws, d_months, d_together, n, then{});
}

}  // namespace examples
