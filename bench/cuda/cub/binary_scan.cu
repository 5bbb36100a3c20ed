// SPDX-License-Identifier: Apache-2.0
// Scans of masks as people write them with CUB, which has none: over bytes that are 0 or 1, or an
// iterator over the bits.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <cuda/std/functional>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

namespace {

/// Bit i of a mask, as a number.
struct bit_of {
  std::uint32_t const* words;
  __host__ __device__ std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>(words[i / 32] >> (i % 32) & 1u);
  }
};

template <class In>
void add_ranks(implementations& to, binary_problem const& problem, In in) {
  bool const inclusive = problem.kind == scan_kind::inclusive;
  auto* const ranks = problem.ranks;
  add_calls(to, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
    using sum = ::cuda::std::plus<std::int32_t>;
    return inclusive ? api::DeviceScan::InclusiveScan(memory, bytes, in, ranks, sum{}, n)
                     : api::DeviceScan::ExclusiveScan(memory, bytes, in, ranks, sum{},
                                                      std::int32_t{0}, n);
  });
}

}  // namespace

implementations offers(binary_problem const& problem) {
  implementations result;
  if (problem.mask == "bytes") {
    add_ranks(result, problem, static_cast<std::uint8_t const*>(problem.items));
  } else {
    bit_of const bits{static_cast<std::uint32_t const*>(problem.items)};
    namespace iterators = THRUST_NS_QUALIFIER;
    add_ranks(
        result, problem,
        iterators::make_transform_iterator(iterators::counting_iterator<std::int64_t>(0), bits));
  }
  return result;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
