// SPDX-License-Identifier: Apache-2.0
// A call in plain C++ takes its temporary memory from a resource of RMM, and gives it back.
#include <examples/device/memory_pool_rmm.hpp>

#include <numeric>
#include <vector>

#include <rmm/mr/cuda_async_memory_resource.hpp>
#include <rmm/mr/statistics_resource_adaptor.hpp>

#include <libscan/device_calls.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

TEST_CASE("temporary memory of sums within segments comes from RMM, and goes back there") {
  std::vector<std::int32_t> items(100000);
  std::iota(items.begin(), items.end(), 0);
  std::vector<std::uint8_t> flags(items.size());
  for (std::size_t i = 0; i < flags.size(); i += 10) flags[i] = 1;
  for (engine const& on : engines()) {
    rmm::mr::cuda_async_memory_resource pool;
    rmm::mr::statistics_resource_adaptor counted(pool);
    rmm::device_async_resource_ref resource(counted);
    device_memory<std::int32_t> const in(on, items), out(on, items);
    device_memory<std::uint8_t> const heads(on, flags);
    device_queue const queue{.on = on, .memory = examples::memory_of(resource)};
    auto const segments = segmentation::of_flags(std::span(heads.data(), flags.size()));
    inclusive_segmented_scan(queue, device_span{in.data(), 100000}, out.data(), segments);
    auto const sums = out.copy();
    CHECK(sums[9] == 45);
    CHECK(sums[10] == 10);
    CHECK(sums[99999] == 10 * 99990 + 45);
    CHECK(counted.get_bytes_counter().total > 0);
    CHECK(counted.get_bytes_counter().value == 0);
  }
}

}  // namespace
}  // namespace libscan::test
