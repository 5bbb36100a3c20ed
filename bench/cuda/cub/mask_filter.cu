// SPDX-License-Identifier: Apache-2.0
// CUB's filter by flags; a mask of bits is passed as an iterator over them, since CUB has no bit
// masks.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_select.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

namespace {

/// Whether bit i of a mask is set.
struct has_bit {
  std::uint32_t const* words;
  __host__ __device__ bool operator()(std::int64_t i) const {
    return (words[i / 32] >> (i % 32) & 1u) != 0;
  }
};

template <class Flags>
implementations by_flags(mask_filter_problem const& problem, Flags flags) {
  if (problem.in == problem.out) {
    return {{LIBSCAN_BENCH_CUB_NAME, prepared([=](void* memory, std::size_t& bytes) {
               return api::DeviceSelect::Flagged(memory, bytes, problem.out, flags, problem.count,
                                                 problem.n);
             })}};
  }
  return {{LIBSCAN_BENCH_CUB_NAME, prepared([=](void* memory, std::size_t& bytes) {
             return api::DeviceSelect::Flagged(memory, bytes, problem.in, flags, problem.out,
                                               problem.count, problem.n);
           })}};
}

}  // namespace

implementations offers(mask_filter_problem const& problem) {
  if (problem.mask == "bytes") {
    return by_flags(problem, static_cast<std::uint8_t const*>(problem.marks));
  }
  namespace iterators = THRUST_NS_QUALIFIER;
  has_bit const bits{static_cast<std::uint32_t const*>(problem.marks)};
  return by_flags(problem, iterators::make_transform_iterator(
                               iterators::counting_iterator<std::int64_t>(0), bits));
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
