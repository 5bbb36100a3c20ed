// SPDX-License-Identifier: Apache-2.0
// CUB's sorts within segments: the one that adapts to each length, and the radix sort, which gives
// each segment one block per pass.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

namespace {

// With more segments, of a few items each, the radix sort would take most of a run's time.
constexpr index_t max_radix_segments = index_t{1} << 20;

implementation by_lengths(segmented_sort_problem const& p, int n, int segments) {
  using sort = api::DeviceSegmentedSort;
  return {LIBSCAN_BENCH_CUB_NAME, prepared([=](void* memory, std::size_t& bytes) {
            return p.values == nullptr
                       ? sort::StableSortKeys(memory, bytes, p.keys, p.keys_out, n, segments,
                                              p.offsets, p.offsets + 1)
                       : sort::StableSortPairs(memory, bytes, p.keys, p.keys_out, p.values,
                                               p.values_out, n, segments, p.offsets, p.offsets + 1);
          })};
}

implementation by_radix(segmented_sort_problem const& p, int n, int segments) {
  using sort = api::DeviceSegmentedRadixSort;
  return {std::string(LIBSCAN_BENCH_CUB_NAME) + " radix",
          prepared([=](void* memory, std::size_t& bytes) {
            return p.values == nullptr
                       ? sort::SortKeys(memory, bytes, p.keys, p.keys_out, n, segments, p.offsets,
                                        p.offsets + 1)
                       : sort::SortPairs(memory, bytes, p.keys, p.keys_out, p.values, p.values_out,
                                         n, segments, p.offsets, p.offsets + 1);
          })};
}

}  // namespace

implementations offers(segmented_sort_problem const& problem) {
  if (problem.n > std::numeric_limits<int>::max()) return {};
  auto const n = static_cast<int>(problem.n);
  auto const segments = static_cast<int>(problem.segments);
  implementations all{by_lengths(problem, n, segments)};
  if (segments <= max_radix_segments) all.push_back(by_radix(problem, n, segments));
  return all;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
