// SPDX-License-Identifier: Apache-2.0
// CUB's split, which fills one buffer from both ends.
#include <cub/device/device_partition.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

implementations offers(split_problem const& problem) {
  implementations result;
  if (problem.flags != nullptr) {
    add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
      return api::DevicePartition::Flagged(memory, bytes, problem.in, problem.flags,
                                           problem.reversed, problem.count, n);
    });
  } else {
    add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
      return api::DevicePartition::If(memory, bytes, problem.in, problem.reversed, problem.count, n,
                                      below{problem.limit});
    });
  }
  // Named so if another form is requested.
  for (implementation& each : result) {
    if (problem.outputs != "reversed") each.name += " reversed";
  }
  return result;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
