// SPDX-License-Identifier: Apache-2.0
// Operators that only nvcc knows, in device calls: its lambdas, and functors of libcu++.
#include <functional>

#include <cuda/functional>
#include <cuda/std/functional>

#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>

using namespace libscan;

void calls(workspace& ws, int const* in, int* out, float const* numbers, float* sums, index_t n) {
  auto const smaller = [] __device__(int a, int b) { return a < b ? a : b; };
  auto const larger = [] __host__ __device__(int a, int b) { return a > b ? a : b; };
  exclusive_scan(ws, in, out, n, smaller, nullptr, 100);
  inclusive_scan(ws, in, out, n, smaller);
  reduce(ws, in, out, n, larger, -100);
  reduce(ws, numbers, sums, n, cuda::std::plus<>{}, 0.0f);
  reverse_exclusive_scan(ws, numbers, sums, n, cuda::std::multiplies<float>{}, nullptr, 1.0f);
  segmented_reduce(ws, in, out, equal_segments{10}, n, cuda::minimum<>{}, nullptr, 100);
  inclusive_segmented_scan(ws, in, out, equal_segments{10}, n, cuda::maximum<int>{});
  reduce(ws, numbers, sums, n, std::plus<>{});
  reduce(ws, numbers, sums, n, std::multiplies<>{});
}
