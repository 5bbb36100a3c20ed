// SPDX-License-Identifier: Apache-2.0
// CUB's first items of runs, and its run-length encoding.
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

implementations offers(run_problem const& problem) {
  if (problem.in == problem.values) return {};  // for that it has no call
  if (problem.lengths == nullptr) {
    return {{LIBSCAN_BENCH_CUB_NAME, prepared([=](void* memory, std::size_t& bytes) {
               return api::DeviceSelect::Unique(memory, bytes, problem.in, problem.values,
                                                problem.count, problem.n);
             })}};
  }
  auto const encode = [=](void* memory, std::size_t& bytes, auto n) {
    return api::DeviceRunLengthEncode::Encode(memory, bytes, problem.in, problem.values,
                                              problem.lengths, problem.count, n);
  };
  implementations result;
#if CUB_VERSION >= 300400
  add_calls(result, problem.n, encode);
#else
  // It takes no other number of items.
  if (problem.n <= std::numeric_limits<int>::max()) {
    result.push_back(
        {std::string(LIBSCAN_BENCH_CUB_NAME) + " int",
         prepared([=, n = static_cast<int>(problem.n)](void* memory, std::size_t& bytes) {
           return encode(memory, bytes, n);
         })});
  }
#endif
  return result;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
