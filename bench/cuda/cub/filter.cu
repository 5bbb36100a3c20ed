// SPDX-License-Identifier: Apache-2.0
// CUB's filter.
#include <cub/device/device_select.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

implementations offers(filter_problem const& problem) {
  below const keep{problem.limit};
  if (problem.in == problem.out) {
    return {{LIBSCAN_BENCH_CUB_NAME, prepared([=](void* memory, std::size_t& bytes) {
               return api::DeviceSelect::If(memory, bytes, problem.out, problem.count, problem.n,
                                            keep);
             })}};
  }
  return {{LIBSCAN_BENCH_CUB_NAME, prepared([=](void* memory, std::size_t& bytes) {
             return api::DeviceSelect::If(memory, bytes, problem.in, problem.out, problem.count,
                                          problem.n, keep);
           })}};
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
