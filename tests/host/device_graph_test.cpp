// SPDX-License-Identifier: Apache-2.0
// Calls on device memory from plain C++ and what only CUDA has: a filter, a sort of what it keeps,
// and a scan of that in a graph, replayed with other data; a pool of cudaMallocAsync. Compiled with
// CUDA only.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <examples/device/memory_pool_cuda.cuh>
#include <libscan/device_calls.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/sort_device_calls.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {

TEST_CASE("captured calls replay with other data, and counts that stay on the device") {
  auto const all = machines();
  if (all.empty() || !all.front().is_cuda()) return;  // the executor has no graphs
  auto const on = all.front();
  index_t const most = 20000;
  auto const keep = parse_predicate<std::int32_t>(">= 0");
  std::size_t const bytes = std::max({device_filter_workspace_bytes<std::int32_t>(on, most),
                                      device_sort_workspace_bytes<std::int32_t>(on, most),
                                      device_workspace_bytes<std::int32_t>(on, most)});
  device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
  device_memory<std::int32_t> const in(on, most), kept(on, most), sorted(on, most), sums(on, most);
  device_memory<std::int32_t> const total(on, 1);
  device_memory<index_t> const n(on, 1), count(on, 1);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t calls = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  device_queue const queue{
      .on = on, .stream = stream, .workspace = workspace.data(), .workspace_bytes = bytes};
  device_span<std::int32_t> const chosen{kept.data(), most, count.data()};
  filter(queue, device_span<std::int32_t>{in.data(), most, n.data()}, kept.data(), keep,
         count.data());
  sort_keys(queue, chosen, sorted.data());
  inclusive_scan(queue, device_span<std::int32_t>{sorted.data(), most, count.data()}, sums.data(),
                 plus<std::int32_t>{}, total.data());
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&calls, graph, 0) == cudaSuccess);

  for (index_t const items : {most, index_t{1}, index_t{0}, most / 2}) {
    INFO(items << " items");
    auto values = make_input<std::int32_t>(pattern::small, items);
    in.write(values);
    n.write({items});
    REQUIRE(cudaGraphLaunch(calls, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    std::erase_if(values, [](std::int32_t x) { return x < 0; });
    std::sort(values.begin(), values.end());
    REQUIRE(count.copy()[0] == static_cast<index_t>(values.size()));
    auto got = sorted.copy();
    got.resize(values.size());
    CHECK(got == values);
    std::partial_sum(values.begin(), values.end(), values.begin());
    got = sums.copy();
    got.resize(values.size());
    CHECK(got == values);
    CHECK(total.copy()[0] == (values.empty() ? 0 : values.back()));
  }
  CHECK(cudaGraphExecDestroy(calls) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("temporary memory comes from a pool of cudaMallocAsync, and goes back") {
  auto const all = machines();
  if (all.empty() || !all.front().is_cuda()) return;
  auto const on = all.front();
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, on.device()};
  cudaMemPool_t pool = nullptr;
  REQUIRE(cudaMemPoolCreate(&pool, &props) == cudaSuccess);
  index_t const n = 100000;
  device_memory<std::int32_t> const in(on, std::vector<std::int32_t>(n, 1)), sums(on, n);
  device_queue const queue{.on = on, .memory = examples::memory_of(pool)};
  inclusive_scan(queue, device_span<std::int32_t>{in.data(), n}, sums.data());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(sums.copy().back() == n);
  std::uint64_t used = 0, most = 0;
  REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess);
  REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most) == cudaSuccess);
  CHECK(used == 0);
  CHECK(most > 0);
  REQUIRE(cudaMemPoolDestroy(pool) == cudaSuccess);
}

}  // namespace libscan::test
