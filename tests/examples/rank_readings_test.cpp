// SPDX-License-Identifier: Apache-2.0
// Filter, scan and sort in a row, with counts that stay on the device, against the standard
// library; on a GPU also captured in one CUDA graph and replayed with other readings.
#include <algorithm>
#include <numeric>
#include <vector>

#include <examples/device/rank_readings.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#ifdef __CUDACC__
#include <tests/support/streams.cuh>
#endif

using namespace libscan;
using namespace libscan::test;

namespace {

/// Whole numbers, whose sums are exact, with many equal ones among them.
std::vector<float> readings_of(index_t n, std::uint64_t seed) {
  std::vector<float> readings;
  for (unsigned const x : make_items<unsigned>(n, seed)) {
    readings.push_back(static_cast<float>(x % 1000));
  }
  return readings;
}

/// The results in host memory.
struct host_results {
  std::vector<float> values;
  std::vector<double> sums;
  std::vector<unsigned> places;
  friend bool operator==(host_results const&, host_results const&) = default;
};

host_results expected_of(std::vector<float> const& readings, float threshold) {
  host_results expected;
  std::copy_if(readings.begin(), readings.end(), std::back_inserter(expected.values),
               [&](float r) { return r > threshold; });
  expected.sums.resize(expected.values.size());
  std::inclusive_scan(expected.values.begin(), expected.values.end(), expected.sums.begin(),
                      std::plus<>{}, 0.0);
  expected.places.resize(expected.values.size());
  std::iota(expected.places.begin(), expected.places.end(), 0u);
  std::stable_sort(expected.places.begin(), expected.places.end(),
                   [&](unsigned a, unsigned b) { return expected.values[a] > expected.values[b]; });
  return expected;
}

/// Device memory for n readings and all that comes of them.
struct device_memory {
  explicit device_memory(index_t n)
      : readings(static_cast<std::size_t>(n)),
        values(readings.size()),
        sums(readings.size()),
        places(readings.size()),
        kept(1),
        temporary(examples::rank_readings_bytes(n)) {}

  examples::ranked_readings results() const {
    return {values.data(), sums.data(), places.data(), kept.data()};
  }

  host_results copy() const {
    host_results got{values.copy(), sums.copy(), places.copy()};
    auto const n = static_cast<std::size_t>(kept.copy().front());
    got.values.resize(n);
    got.sums.resize(n);
    got.places.resize(n);
    return got;
  }

  device_buffer<float> readings, values;
  device_buffer<double> sums;
  device_buffer<unsigned> places;
  device_buffer<index_t> kept;
  device_buffer<std::byte> temporary;
};

}  // namespace

TEST_CASE("filter, scan and sort hand their counts on") {
  index_t const n = GENERATE(index_t{0}, index_t{1}, index_t{1000}, index_t{20011});
  float const threshold = GENERATE(-1.0f, 700.0f, 998.0f, 1000.0f);
  auto const readings = readings_of(n, 5);
  device_memory const memory(n);
  workspace ws(memory.temporary.data(), memory.temporary.size());
  simt::copy_async(memory.readings.data(), readings.data(), readings.size() * sizeof(float));
  examples::rank_readings(ws, memory.readings.data(), n, threshold, memory.results());
  REQUIRE((memory.copy() == expected_of(readings, threshold)));
}

#ifdef __CUDACC__
// One size at which the sort is one launch, one at which filter and scan are, and a large one.
TEST_CASE("filter, scan and sort in one graph, replayed with changed readings") {
  index_t const n = GENERATE(index_t{5000}, index_t{300000}, index_t{5000000});
  scoped_stream const stream;
  device_memory const memory(n);
  simt::synchronize();  // allocated on another stream
  workspace ws(memory.temporary.data(), memory.temporary.size(), stream);
  captured_graph const calls(stream, [&] {
    examples::rank_readings(ws, memory.readings.data(), n, 600.0f, memory.results());
  });
  for (std::uint64_t round = 1; round <= 4; ++round) {
    auto readings = readings_of(n, round);
    if (round == 3) std::fill(readings.begin(), readings.end(), 600.0f);  // none is kept
    if (round == 4) std::fill(readings.begin(), readings.end(), 601.0f);  // all are
    simt::copy_async(memory.readings.data(), readings.data(), readings.size() * sizeof(float),
                     stream);
    calls.replay(stream);
    simt::synchronize(stream);
    REQUIRE((memory.copy() == expected_of(readings, 600.0f)));
  }
}
#endif
