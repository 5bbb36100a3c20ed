// SPDX-License-Identifier: Apache-2.0
// Example: the collectives in a plain CUDA kernel, without libscan's launch. For nvcc only.
#pragma once

#include <examples/kernels/queue.cuh>

#ifdef __CUDACC__
namespace examples {

/// What `append_kernel` does, for `append_plain_kernel<<<blocks, block_threads>>>(...)`.
static __global__ void append_plain_kernel(int const* wanted, index_t n, index_t* queue,
                                           unsigned long long* size) {
  __shared__ block::scan_storage<int, block_threads> storage;
  __shared__ unsigned long long first;
  index_t const i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int const k = i < n ? wanted[i] : 0;
  auto const mine = block::exclusive_scan(storage, k, plus<int>{});
  if (threadIdx.x == 0) first = atomicAdd(size, mine.total);
  __syncthreads();
  for (int j = 0; j < k; ++j) queue[first + mine.prefix + j] = i;
}

}  // namespace examples
#endif
