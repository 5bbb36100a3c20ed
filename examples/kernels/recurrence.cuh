// SPDX-License-Identifier: Apache-2.0
// Example: a linear recurrence as a scan of affine maps (Blelloch 1990, 1.4).
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/scan.cuh>

namespace examples {

/// The map x -> a x + b.
template <class T>
struct affine_map {
  T a;
  T b;
};

/// First the earlier map, then the later one. Associative; does not commute.
template <class T>
struct compose_maps {
  using value_type = affine_map<T>;
  LIBSCAN_HOST_DEVICE static constexpr value_type identity() { return {T(1), T(0)}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type earlier, value_type later) const {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
};

/// x[i] = steps[i].a * x[i - 1] + steps[i].b, where x[-1] = start. One block; any n.
template <class T>
struct recurrence_kernel {
  using shared_storage = block::scan_storage<affine_map<T>, block_threads>;
  __device__ void operator()(shared_storage& shared, affine_map<T> const* steps, index_t n, T start,
                             T* x) const {
    for (index_t base = 0; base < n; base += block_threads) {
      index_t const i = base + threadIdx.x;
      auto const step = i < n ? steps[i] : compose_maps<T>::identity();
      auto const [upto, all] = block::inclusive_scan(shared, step, compose_maps<T>{});
      if (i < n) x[i] = upto.a * start + upto.b;
      start = all.a * start + all.b;
    }
  }
};

}  // namespace examples
