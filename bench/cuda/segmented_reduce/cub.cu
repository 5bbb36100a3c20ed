// SPDX-License-Identifier: Apache-2.0
// The toolkit's CUB: DeviceSegmentedReduce for offsets, otherwise DeviceReduce::ReduceByKey.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <limits>
#include <memory>

#include <bench/cuda/segmented_reduce/problem.hpp>
#include <libscan/buffer.cuh>

namespace libscan::bench::by_cub {

namespace {

/// call(memory, bytes), with its temporary memory.
template <class Call>
implementation prepared(std::string name, Call call) {
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  auto const memory = std::make_shared<device::buffer<std::byte>>(static_cast<index_t>(bytes + 1));
  return {std::move(name), [=] {
            std::size_t available = bytes;
            LIBSCAN_CHECK(call(memory->data(), available));
          }};
}

}  // namespace

implementations offers(totals_problem const& problem) {
  if (problem.n > std::numeric_limits<int>::max()) return {};
  auto const by_key = [p = problem](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, p.keys, p.unique, p.in, p.totals, p.count,
                                          ::cuda::std::plus<>{}, static_cast<int>(p.n));
  };
  if (problem.heads == "keys") return {prepared("cub", by_key)};
  implementations all;
  if (!problem.some_empty) all.push_back(prepared("cub by key", by_key));
  if (problem.heads == "offsets") {
    all.push_back(prepared("cub", [p = problem](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(
          memory, bytes, p.in, p.totals, static_cast<int>(p.segments), p.offsets, p.offsets + 1);
    }));
  }
  return all;
}

}  // namespace libscan::bench::by_cub
