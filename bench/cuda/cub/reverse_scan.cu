// SPDX-License-Identifier: Apache-2.0
// CUB's scans through iterators that count backwards.
#include <cub/device/device_scan.cuh>
#include <cuda/std/iterator>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

implementations offers(reverse_scan_problem const& problem) {
  implementations result;
  auto const in = ::cuda::std::make_reverse_iterator(problem.in + problem.n);
  auto const out = ::cuda::std::make_reverse_iterator(problem.out + problem.n);
  add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
    return api::DeviceScan::ExclusiveSum(memory, bytes, in, out, n);
  });
  return result;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
