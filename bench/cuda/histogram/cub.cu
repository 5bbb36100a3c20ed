// SPDX-License-Identifier: Apache-2.0
// The toolkit's CUB: HistogramEven, or HistogramRange for given edges.
#include <cub/device/device_histogram.cuh>

#include <limits>
#include <memory>

#include <bench/cuda/histogram/problem.hpp>
#include <libscan/buffer.cuh>

namespace libscan::bench::by_cub {

namespace {

/// call(memory, bytes), with its temporary memory.
template <class Call>
implementation prepared(Call call) {
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  auto const memory = std::make_shared<device::buffer<std::byte>>(static_cast<index_t>(bytes + 1));
  return {"cub", [=] {
            std::size_t available = bytes;
            LIBSCAN_CHECK(call(memory->data(), available));
          }};
}

template <class Sample, class Level>
implementation even(histogram_problem const& problem) {
  auto const* const in = static_cast<Sample const*>(problem.in);
  // Its counters are `int` or `unsigned`; an `int` number of samples is fastest.
  return prepared([=, n = static_cast<int>(problem.n)](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, in, problem.counts, problem.bins + 1,
                                               Level{0}, static_cast<Level>(problem.bins), n);
  });
}

}  // namespace

implementations offers(histogram_problem const& problem) {
  if (problem.n > std::numeric_limits<int>::max()) return {};
  if (problem.kind == "edges") {
    auto const* const in = static_cast<float const*>(problem.in);
    return {prepared([=, n = static_cast<int>(problem.n)](void* memory, std::size_t& bytes) {
      return cub::DeviceHistogram::HistogramRange(memory, bytes, in, problem.counts,
                                                  problem.bins + 1, problem.edges, n);
    })};
  }
  if (problem.type == "f32") return {even<float, float>(problem)};
  if (problem.type == "u8") return {even<std::uint8_t, int>(problem)};
  return {even<std::uint32_t, int>(problem)};
}

}  // namespace libscan::bench::by_cub
