// SPDX-License-Identifier: Apache-2.0
// CUB's sort of keys with values. It also serves as argsort, with values that are positions
// already, and as split into buckets, by as few bits as these need.
#include <cub/device/device_radix_sort.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

namespace {

template <class Problem>
implementations sort(Problem const& problem, int bits) {
  implementations result;
  add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
    return api::DeviceRadixSort::SortPairs(memory, bytes, problem.keys, problem.keys_out,
                                           problem.values, problem.values_out, n, 0, bits);
  });
  return result;
}

}  // namespace

implementations offers(pair_sort_problem const& problem) { return sort(problem, 32); }

implementations offers(bucket_problem const& problem) {
  int bits = 1;
  while (1 << bits < problem.buckets) ++bits;
  implementations all = sort(problem, bits);
  for (implementation& each : all) each.leaves_counts = false;
  return all;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
