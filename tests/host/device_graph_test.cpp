// SPDX-License-Identifier: Apache-2.0
// Every call on device memory is captured in a CUDA graph, and replayed with other data: results
// are those of the same call outside a graph. Compiled with CUDA only.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <examples/device/memory_pool_cuda.cuh>
#include <libscan/device_calls.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/sort_device_calls.hpp>
#include <libscan/spmv_device_calls.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {
namespace {

using item = std::int32_t;
constexpr index_t n = 20000;
constexpr index_t rows = n / 5;

/// The arrays that the calls read, filled anew for each replay, and those that they write.
struct arrays {
  engine on;
  device_memory<item> items{on, n}, keys{on, n}, places{on, n};
  device_memory<float16> halves{on, n};
  device_memory<std::uint8_t> flags{on, n}, buckets{on, n};
  device_memory<index_t> offsets{on, rows + 1};
  device_memory<double> numbers{on, n};
  // Results, more than any call writes.
  device_memory<std::byte> first{on, 16 * n}, second{on, 16 * n}, third{on, 16 * n};
  device_memory<index_t> counts{on, 300};

  explicit arrays(engine const& machine) : on(machine) {}

  void fill(std::uint64_t stream) const {
    items.write(make_input<item>(pattern::small, n, stream));
    keys.write(make_input<item>(pattern::low_entropy, n, stream));
    auto const bytes = make_input<std::uint8_t>(pattern::random, n, stream);
    flags.write(bytes);
    std::vector<item> columns;
    std::vector<std::uint8_t> numbers_of_buckets;
    std::vector<float16> half;
    std::vector<double> wide;
    for (std::uint8_t const byte : bytes) {
      columns.push_back(byte);
      numbers_of_buckets.push_back(byte % 16);
      half.push_back(float16(byte % 7));
      wide.push_back(byte % 9);
    }
    places.write(columns);
    buckets.write(numbers_of_buckets);
    halves.write(half);
    numbers.write(wide);
    std::vector<index_t> ends{0};
    for (index_t row = 0; row < rows; ++row) {
      ends.push_back(ends.back() + (bytes[static_cast<std::size_t>(row)] + stream) % 5);
    }
    ends.back() = n;
    offsets.write(ends);
  }
  void clear() const {
    std::vector<std::byte> const zeros(16 * n);
    first.write(zeros);
    second.write(zeros);
    third.write(zeros);
    counts.write(std::vector<index_t>(300));
  }
  std::vector<std::byte> results() const {
    auto all = first.copy();
    for (auto const* part : {&second, &third}) {
      auto const more = part->copy();
      all.insert(all.end(), more.begin(), more.end());
    }
    for (index_t const count : counts.copy()) all.push_back(static_cast<std::byte>(count % 251));
    return all;
  }

  template <class T>
  T* to(device_memory<std::byte> const& memory) const {
    return reinterpret_cast<T*>(memory.data());
  }
};

struct named_call {
  std::string name;
  std::function<void(device_queue const&)> run;
};

void add_scans(std::vector<named_call>& calls, arrays const& a) {
  device_span<item> const in{a.items.data(), n};
  auto* const out = a.to<item>(a.first);
  auto* const total = a.to<item>(a.second);
  index_t* const count = a.counts.data();
  auto const offsets =
      segmentation::of_offsets(std::span(a.offsets.data(), static_cast<std::size_t>(rows + 1)));
  auto const flags = segmentation::of_flags(std::span(a.flags.data(), std::size_t{n}));
  calls.push_back(
      {"exclusive_scan", [=](auto const& q) { exclusive_scan(q, in, out, plus<item>{}, total); }});
  calls.push_back({"reverse_inclusive_scan", [=](auto const& q) {
                     reverse_inclusive_scan(q, in, out, plus<item>{}, total);
                   }});
  calls.push_back({"inclusive_scan of halves", [=, &a](auto const& q) {
                     inclusive_scan(q, device_span{a.halves.data(), n}, a.to<float>(a.first));
                   }});
  calls.push_back({"reduce", [=](auto const& q) { reduce(q, in, total, maximum<item>{}); }});
  calls.push_back({"adjacent_difference", [=](auto const& q) { adjacent_difference(q, in, out); }});
  calls.push_back({"inclusive_segmented_scan",
                   [=](auto const& q) { inclusive_segmented_scan(q, in, out, flags); }});
  calls.push_back({"exclusive_segmented_scan",
                   [=](auto const& q) { exclusive_segmented_scan(q, in, out, offsets); }});
  calls.push_back({"segmented_reduce", [=](auto const& q) {
                     segmented_reduce(q, in, out, flags, plus<item>{}, count);
                   }});
  calls.push_back({"segmented_reduce of offsets",
                   [=](auto const& q) { segmented_reduce(q, in, out, offsets); }});
  calls.push_back({"reduce_by_key", [=, &a](auto const& q) {
                     reduce_by_key(q, a.keys.data(), in, total, out, plus<item>{}, count);
                   }});
  calls.push_back({"binary scan", [=, &a](auto const& q) {
                     exclusive_binary_scan(q, item_mask::of_flags({a.flags.data(), std::size_t{n}}),
                                           a.to<index_t>(a.first), count);
                   }});
}

void add_filters(std::vector<named_call>& calls, arrays const& a) {
  device_span<item> const in{a.items.data(), n};
  auto* const out = a.to<item>(a.first);
  auto* const rest = a.to<item>(a.second);
  auto* const positions = a.to<index_t>(a.third);
  index_t* const count = a.counts.data();
  auto const keep = parse_predicate<item>("> 1 or == -3");
  auto const mask = item_mask::of_flags({a.flags.data(), std::size_t{n}});
  calls.push_back({"filter", [=](auto const& q) { filter(q, in, out, keep, count); }});
  calls.push_back({"filter by a mask", [=](auto const& q) { filter(q, in, out, mask, count); }});
  calls.push_back(
      {"filter_indices", [=](auto const& q) { filter_indices(q, in, positions, keep, count); }});
  calls.push_back(
      {"mask_indices", [=](auto const& q) { mask_indices(q, mask, positions, count); }});
  calls.push_back({"filter_with_indices", [=](auto const& q) {
                     filter_with_indices(q, in, out, positions, keep, count);
                   }});
  calls.push_back({"count_if", [=](auto const& q) { count_if(q, in, keep, count); }});
  calls.push_back({"count_marked", [=](auto const& q) { count_marked(q, mask, count); }});
  calls.push_back({"split", [=](auto const& q) { split(q, in, out, rest, keep, count); }});
  calls.push_back({"split into one", [=](auto const& q) { split(q, in, out, mask, count); }});
  calls.push_back({"split_by_bit", [=](auto const& q) { split_by_bit(q, in, out, 1, count); }});
  device_span<item> const keys{a.keys.data(), n};
  calls.push_back({"unique", [=](auto const& q) { unique(q, keys, out, count); }});
  calls.push_back({"run_length_encode",
                   [=](auto const& q) { run_length_encode(q, keys, out, positions, count); }});
  calls.push_back({"runs of two or more", [=, &a](auto const& q) {
                     run_length_encode(q, keys, out, positions, a.to<index_t>(a.second), count, 2);
                   }});
}

void add_sorts(std::vector<named_call>& calls, arrays const& a) {
  device_span<item> const keys{a.items.data(), n};
  auto* const out = a.to<item>(a.first);
  auto* const values = a.to<item>(a.second);
  auto* const positions = a.to<index_t>(a.third);
  std::span<index_t const> const offsets(a.offsets.data(), static_cast<std::size_t>(rows + 1));
  calls.push_back({"sort_keys", [=](auto const& q) { sort_keys(q, keys, out); }});
  calls.push_back(
      {"sort_pairs", [=, &a](auto const& q) { sort_pairs(q, keys, out, a.keys.data(), values); }});
  calls.push_back({"argsort", [=](auto const& q) { argsort(q, keys, positions); }});
  calls.push_back(
      {"segmented_sort_keys", [=](auto const& q) { segmented_sort_keys(q, keys, out, offsets); }});
  calls.push_back({"segmented_sort_pairs", [=, &a](auto const& q) {
                     segmented_sort_pairs(q, keys, out, a.keys.data(), values, offsets);
                   }});
  calls.push_back({"segmented_argsort", [=](auto const& q) {
                     segmented_argsort(q, keys, positions, segmentation::of_length(77));
                   }});
  calls.push_back({"split_by_key", [=, &a](auto const& q) {
                     split_by_key(q, device_span{a.buckets.data(), n}, a.to<std::uint8_t>(a.first),
                                  {a.counts.data(), 17});
                   }});
}

void add_tables(std::vector<named_call>& calls, arrays const& a) {
  auto* const totals = a.to<sample_totals>(a.second);
  device_span<double> const samples{a.numbers.data(), n};
  even_bins<double> const bins(0, 10, 20);
  calls.push_back({"histogram", [=, &a](auto const& q) {
                     histogram(q, samples, a.to<std::uint32_t>(a.first), bins, totals);
                   }});
  calls.push_back({"weighted_histogram", [=, &a](auto const& q) {
                     weighted_histogram(q, samples, a.numbers.data(), a.to<double>(a.first), bins,
                                        totals);
                   }});
  calls.push_back({"sparse_histogram", [=, &a](auto const& q) {
                     sparse_histogram(q, samples, a.to<index_t>(a.first),
                                      a.to<std::uint64_t>(a.third), bins, a.counts.data(), totals);
                   }});
  csr_matrix<double> const matrix{
      rows, 256, n, a.offsets.data(), a.places.data(), a.numbers.data()};
  calls.push_back({"spmv", [=, &a](auto const& q) {
                     spmv(q, matrix, a.numbers.data(), a.to<double>(a.first));
                   }});
  coo_matrix<double> const list{256, 256, n, a.places.data(), a.places.data(), a.numbers.data()};
  calls.push_back({"coo_to_csr", [=, &a](auto const& q) {
                     coo_to_csr(q, list, a.counts.data(), a.to<std::int32_t>(a.first),
                                a.to<double>(a.third));
                   }});
}

TEST_CASE("every call is captured, and replayed with other data") {
  auto const all = machines();
  if (all.empty() || !all.front().is_cuda()) return;  // the executor has no graphs
  arrays const a(all.front());
  std::vector<named_call> calls;
  add_scans(calls, a);
  add_filters(calls, a);
  add_sorts(calls, a);
  add_tables(calls, a);
  std::size_t const bytes = std::size_t{1} << 24;  // enough for each of them
  device_memory<std::byte> const workspace(a.on, static_cast<index_t>(bytes));
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  device_queue const queue{
      .on = a.on, .stream = stream, .workspace = workspace.data(), .workspace_bytes = bytes};
  for (named_call const& call : calls) {
    INFO(call.name);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t captured = nullptr;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    call.run(queue);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&captured, graph, 0) == cudaSuccess);
    for (std::uint64_t const round : {1, 2}) {
      a.fill(round);
      a.clear();
      REQUIRE(cudaGraphLaunch(captured, stream) == cudaSuccess);
      REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
      auto const replayed = a.results();
      a.clear();
      call.run(queue);
      REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
      CHECK((replayed == a.results()));
      CHECK(replayed != std::vector<std::byte>(replayed.size()));
    }
    CHECK(cudaGraphExecDestroy(captured) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

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

}  // namespace
}  // namespace libscan::test
