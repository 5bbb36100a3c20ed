// SPDX-License-Identifier: Apache-2.0
// CUB's sort of keys.
#include <cub/device/device_radix_sort.cuh>

#include <bench/cuda/cub/call.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

namespace {

template <class Key>
implementations sort(sort_problem const& problem) {
  auto const* const keys = static_cast<Key const*>(problem.keys);
  auto* const out = static_cast<Key*>(problem.out);
  implementations result;
  add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
    return api::DeviceRadixSort::SortKeys(memory, bytes, keys, out, n);
  });
  return result;
}

}  // namespace

implementations offers(sort_problem const& problem) {
  if (problem.type == "u16") return sort<std::uint16_t>(problem);
  if (problem.type == "u32") return sort<std::uint32_t>(problem);
  if (problem.type == "u64") return sort<std::uint64_t>(problem);
  return {};
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
