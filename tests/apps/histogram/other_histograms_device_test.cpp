// SPDX-License-Identifier: Apache-2.0
// What the device's histograms do besides counting plain samples in plain bins: only bins that are
// not empty, weights, rules of the caller's, CUDA's own types, captured graphs, refusals.
#include <libscan/sorted_histogram.cuh>
#include <tests/apps/histogram/device_counts.hpp>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tests/support/streams.cuh>
#endif

using namespace libscan;
using namespace libscan::test;

TEST_CASE("only the bins that are not empty") {
  for (index_t const n : {0, 1, 5, 3000}) {
    auto const samples = spread_samples<std::uint32_t>(spread::zipf, n, 5000);
    for (std::uint32_t const first : {0u, 4u, 6000u}) {
      int const bins = 1000;
      auto const expected = histogram_oracle(samples, integer_edges(first, bins));
      std::vector<std::int32_t> filled;
      std::vector<std::uint32_t> how_often;
      for (int b = 0; b < bins; ++b) {
        auto const count = expected.counts[static_cast<std::size_t>(b)];
        if (count == 0) continue;
        filled.push_back(b);
        how_often.push_back(static_cast<std::uint32_t>(count));
      }
      auto const many = static_cast<index_t>(filled.size());
      device_image<std::uint32_t> in(samples), counts(many);
      device_image<std::int32_t> places(many);
      device_image<index_t> d_filled(1);
      device_image<sample_totals> totals(1);
      auto const bytes = sorted_histogram_workspace_bytes(n, bins);
      device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
      workspace ws(memory.data(), bytes);
      sparse_histogram(ws, static_cast<std::uint32_t const*>(in.data()), n,
                       integer_bins<std::uint32_t>(first, bins), places.data(), counts.data(),
                       d_filled.data(), totals.data());
      REQUIRE(d_filled.read()[0] == many);
      REQUIRE(difference(filled, places.read()) == "");
      REQUIRE(difference(how_often, counts.read()) == "");
      REQUIRE(places.damage() + counts.damage() == "");
      REQUIRE(totals.read()[0] == expected.totals);
    }
  }
}

TEMPLATE_TEST_CASE("weights are summed, bitwise the same each time", "", float, double) {
  index_t const n = 3000;
  auto const samples = spread_samples<float>(spread::uniform, n, 60);
  auto const whole = make_input<TestType>(pattern::small, n);
  auto const any = make_input<TestType>(pattern::random, n);
  even_bins<float> const rule(1, 50, 49);
  std::vector<double> expected(49);
  sample_totals expected_totals;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    int const place = rule.find(samples[i]);
    if (place < 49) expected[static_cast<std::size_t>(place)] += static_cast<double>(whole[i]);
  }
  expected_totals = histogram_oracle(samples, even_edges(1, 50, 49)).totals;
  device_image<float> in(samples);
  device_image<TestType> weights(whole), other(any);
  device_image<double> sums(49), again(49), first(49);
  device_image<sample_totals> totals(1);
  auto const bytes = weighted_histogram_workspace_bytes<TestType, double>(n, 49);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  workspace ws(memory.data(), bytes);
  float const* const from = in.data();
  weighted_histogram(ws, from, static_cast<TestType const*>(weights.data()), sums.data(), rule, n,
                     totals.data());
  REQUIRE(difference(expected, sums.read()) == "");
  REQUIRE(totals.read()[0] == expected_totals);
  weighted_histogram(ws, from, static_cast<TestType const*>(other.data()), first.data(), rule, n,
                     totals.data());
  int const multiprocessors = 2;  // those of others may associate otherwise
  each_schedule(
      2,
      [&](std::string const& schedule) {
        INFO(schedule);
        weighted_histogram(ws, from, static_cast<TestType const*>(other.data()), again.data(), rule,
                           n, totals.data());
        REQUIRE(bit_difference(first.read(), again.read()) == "");
      },
      multiprocessors);
}

namespace {

/// A rule of your own: the last decimal, of digits only that are not 9.
struct last_digit {
  LIBSCAN_HOST_DEVICE int bins() const { return 9; }
  LIBSCAN_HOST_DEVICE int find(std::uint32_t x) const {
    return x % 10 == 9 ? 9 + place_above : static_cast<int>(x % 10);
  }
};

}  // namespace

TEST_CASE("a rule may be the caller's own") {
  auto const samples = make_input<std::uint32_t>(pattern::random, 5000);
  expected_histogram expected{std::vector<std::uint64_t>(9), {}};
  for (std::uint32_t const x : samples) {
    if (x % 10 == 9) {
      ++expected.totals.above;
    } else {
      ++expected.counts[x % 10];
      ++expected.totals.inside;
    }
  }
  device_image<std::uint32_t> in(samples);
  std::uint32_t const* const from = in.data();
  workspace ws;
  require_counts<std::uint32_t>(expected, "production", [&](auto* counts, auto* totals) {
    histogram(ws, from, counts, last_digit{}, 5000, totals);
  });
  require_counts<std::uint32_t>(expected, "sort and scan", [&](auto* counts, auto* totals) {
    sorted_histogram(ws, from, counts, last_digit{}, 5000, totals);
  });
}

#ifdef __CUDACC__
TEST_CASE("CUDA's types of 16 bits are counted as the library's") {
  even_bins<__half> const halves(-3, 100, 33);
  even_bins<__nv_bfloat16> const brains(-3, 100, 33);
  even_bins<float16> const same_halves(-3, 100, 33);
  even_bins<bfloat16> const same_brains(-3, 100, 33);
  for (int bits = 0; bits < 65536; ++bits) {
    auto const word = static_cast<std::uint16_t>(bits);
    __half const half(__half_raw{word});
    __nv_bfloat16 const brain(__nv_bfloat16_raw{word});
    bool const same = halves.find(half) == same_halves.find(float16::of_bits(word)) &&
                      brains.find(brain) == same_brains.find(bfloat16::of_bits(word));
    if (!same) REQUIRE(same);
  }
}

TEST_CASE("a captured histogram replays with changed samples, on a stream of its own") {
  scoped_stream const stream;
  index_t const n = 300000;
  for (int const bins : {500, 70000, 1 << 20}) {
    auto const bytes = histogram_workspace_bytes<std::uint32_t>(n, bins);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    workspace ws(memory.data(), bytes, stream);
    device_image<std::uint32_t> in(n), counts(bins);
    device_image<sample_totals> totals(1);
    integer_bins<std::uint32_t> const rule(0, bins);
    simt::synchronize();
    captured_graph const graph(stream, [&] {
      histogram(ws, static_cast<std::uint32_t const*>(in.data()), counts.data(), rule, n,
                totals.data());
    });
    for (spread const how : {spread::uniform, spread::hot, spread::same}) {
      auto const samples =
          spread_samples<std::uint32_t>(how, n, static_cast<std::uint32_t>(bins) + 7);
      auto const expected = histogram_oracle(samples, integer_edges<std::uint32_t>(0, bins));
      simt::copy_async(in.data(), samples.data(), samples.size() * sizeof(std::uint32_t), stream);
      graph.replay(stream);
      simt::synchronize(stream);
      REQUIRE(difference(std::vector<std::uint32_t>(expected.counts.begin(), expected.counts.end()),
                         counts.read()) == "");
      REQUIRE(totals.read()[0] == expected.totals);
    }
  }
}
#endif

TEST_CASE("what a histogram cannot do it says") {
  workspace ws;
  std::uint32_t const* const in = nullptr;
  std::uint32_t counts[40];
  sample_totals totals;
  integer_bins<std::uint32_t> const rule(0, 40);
  REQUIRE_THROWS_AS(histogram(ws, in, counts, rule, index_t{1} << 32, &totals), invalid_argument);
  REQUIRE_THROWS_AS(histogram(ws, in, counts, rule, 5, nullptr), invalid_argument);
  REQUIRE_THROWS_AS(counted_histogram(ws, in, 5, rule, counts, &totals), invalid_argument);
  REQUIRE_THROWS_AS(integer_bins<int>(0, 0), invalid_argument);
  REQUIRE_THROWS_AS(integer_bins<int>(0, max_bins + 1), invalid_argument);
  double const infinity = std::numeric_limits<double>::infinity();
  REQUIRE_THROWS_AS(even_bins<int>(1, 1, 5), invalid_argument);
  REQUIRE_THROWS_AS(even_bins<int>(0, infinity, 5), invalid_argument);
  REQUIRE_THROWS_AS(even_bins<int>(std::nan(""), 1, 5), invalid_argument);
  REQUIRE_THROWS_AS(even_bins<double>(-1.5e308, 1.5e308, 5), invalid_argument);
}
