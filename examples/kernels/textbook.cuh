// SPDX-License-Identifier: Apache-2.0
// Example: the textbook's scans, any of them by its name.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/textbook/block/catalog.cuh>

namespace examples {

/// out[i] = the sum of the items up to i, by one block of up to `block_threads` threads, for n up
/// to Algorithm::items_per_thread items each.
template <class Algorithm>
struct textbook_kernel {
  using shared_storage = typename Algorithm::template storage<int, block_threads>;
  __device__ void operator()(shared_storage& shared, int const* in, int n, int* out) const {
    constexpr int own = Algorithm::items_per_thread;
    auto const at = [](int k) { return static_cast<int>(k * blockDim.x + threadIdx.x); };
    int items[own];
    for (int k = 0; k < own; ++k) items[k] = at(k) < n ? in[at(k)] : 0;
    block::textbook::scan_tile<scan_kind::inclusive, Algorithm>(shared, items, plus<int>{});
    for (int k = 0; k < own; ++k) {
      if (at(k) < n) out[at(k)] = items[k];
    }
  }
};

}  // namespace examples
