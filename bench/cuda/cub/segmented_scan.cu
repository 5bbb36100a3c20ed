// SPDX-License-Identifier: Apache-2.0
// CUB's scan by key, for every description of the segments: it reads the keys instead. Also, for
// offsets, the segmented scan of newer versions.
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#if CUB_VERSION >= 300400
#include <cub/device/device_segmented_scan.cuh>
#endif

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

namespace {

template <class T>
void add_by_key(implementations& to, segmented_problem const& problem) {
  auto const* const in = static_cast<T const*>(problem.in);
  auto* const out = static_cast<T*>(problem.out);
  auto const* const keys = problem.keys;
  bool const inclusive = problem.kind == scan_kind::inclusive;
  add_calls(to, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
    return inclusive ? api::DeviceScan::InclusiveSumByKey(memory, bytes, keys, in, out, n)
                     : api::DeviceScan::ExclusiveSumByKey(memory, bytes, keys, in, out, n);
  });
}

/// Named "by key" if the problem has another description.
implementations named(implementations calls, std::string const& heads) {
  if (heads == "keys") return calls;
  for (implementation& each : calls) each.name += " by key";
  return calls;
}

#if CUB_VERSION >= 300400
template <class T>
implementation by_offsets(segmented_problem const& problem) {
  auto const* const in = static_cast<T const*>(problem.in);
  auto* const out = static_cast<T*>(problem.out);
  auto const* const begin = problem.offsets;
  index_t const segments = problem.segments;
  bool const inclusive = problem.kind == scan_kind::inclusive;
  return {std::string(LIBSCAN_BENCH_CUB_NAME) + " segmented",
          prepared([=](void* memory, std::size_t& bytes) {
            using api::DeviceSegmentedScan;
            return inclusive ? DeviceSegmentedScan::InclusiveSegmentedSum(
                                   memory, bytes, in, out, begin, begin + 1, segments)
                             : DeviceSegmentedScan::ExclusiveSegmentedSum(
                                   memory, bytes, in, out, begin, begin + 1, segments);
          })};
}
#endif

template <class T>
implementations of_type(segmented_problem const& problem) {
  implementations result;
  add_by_key<T>(result, problem);
  result = named(std::move(result), problem.heads);
#if CUB_VERSION >= 300400
  if (problem.heads == "offsets") result.push_back(by_offsets<T>(problem));
#endif
  return result;
}

}  // namespace

implementations offers(segmented_problem const& problem) {
  if (problem.type == "u32") return of_type<std::uint32_t>(problem);
  if (problem.type == "f32") return of_type<float>(problem);
  return {};
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
