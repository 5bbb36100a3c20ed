// SPDX-License-Identifier: Apache-2.0
// Example: a polynomial's value. A scan of x under multiplication is the powers of x (polynomial
// evaluation is among the uses of scans in Blelloch 1990, 1.1).
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>

namespace examples {

/// Product in T.
template <class T>
struct times {
  using value_type = T;
  LIBSCAN_HOST_DEVICE static constexpr T identity() { return T(1); }
  LIBSCAN_HOST_DEVICE constexpr T operator()(T earlier, T later) const { return earlier * later; }
};

/// y[p] = c[0] + c[1] x + ... + c[n - 1] x^(n - 1) for x = points[p]; block p does point p. Any n.
template <class T>
struct polynomial_kernel {
  struct shared_storage {
    block::scan_storage<T, block_threads> powers;
    block::tree_reduce_storage<T, block_threads> sum;
  };
  __device__ void operator()(shared_storage& shared, T const* c, int n, T const* points,
                             T* y) const {
    auto const powers = block::exclusive_scan(shared.powers, points[blockIdx.x], times<T>{});
    T power = powers.prefix, sum = 0;
    for (int i = threadIdx.x; i < n; i += block_threads, power *= powers.total) sum += c[i] * power;
    sum = block::tree_reduce(shared.sum, sum, plus<T>{});
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
};

}  // namespace examples
