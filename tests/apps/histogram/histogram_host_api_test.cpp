// SPDX-License-Identifier: Apache-2.0
// The host API's cuda engine gives what its cpu engine does.
#include <libscan/histogram.hpp>
#include <tests/apps/histogram/histogram_cases.hpp>

#include <atomic>
#include <thread>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class Sample, class Rule>
void require_equal(std::vector<Sample> const& samples, Rule const& rule) {
  auto const bins = static_cast<std::size_t>(rule.bins());
  std::vector<std::uint64_t> by_cpu(bins), by_cuda(bins);
  auto const expected = histogram(engine::cpu(), samples, by_cpu, rule);
  auto const totals = histogram(engine::cuda(), samples, by_cuda, rule);
  REQUIRE(totals == expected);
  REQUIRE(difference(by_cpu, by_cuda) == "");
  std::vector<float> const weights =
      libscan::test::make_input<float>(pattern::small, static_cast<index_t>(samples.size()));
  std::vector<double> sums(bins), sums_by_cuda(bins);
  weighted_histogram(engine::cpu(), samples, weights, sums, rule);
  REQUIRE(weighted_histogram(engine::cuda(), samples, weights, sums_by_cuda, rule) == expected);
  REQUIRE(difference(sums, sums_by_cuda) == "");
}

}  // namespace

TEMPLATE_TEST_CASE("both engines count alike", "", std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float,
                   double, float16, bfloat16) {
  for (spread const how : all_spreads) {
    auto const samples = spread_samples<TestType>(how, 200000, 120);
    require_equal(samples, even_bins<TestType>(3.3, 110, 77));
    std::vector<double> const edges{0, 1, 1.5, 40, 119};
    require_equal(samples, edge_bins<TestType, double>(edges.data(), 4));
    if constexpr (std::is_integral_v<TestType>) {
      require_equal(samples, integer_bins<TestType>(3, 90000));
    }
  }
  require_equal(samples_at<TestType>(even_edges(-3, 100, 1000)),
                even_bins<TestType>(-3, 100, 1000));
}

// The kernels' leave for shared memory belongs to the process: one thread's histogram must not take
// back what another's, of more bins, was just given.
TEST_CASE("histograms of different sizes run from several host threads at once") {
  auto const samples = spread_samples<std::uint32_t>(spread::uniform, 100000, 60000);
  auto const count = [&](index_t bins) {
    integer_bins<std::uint32_t> const rule(0, bins);
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(bins));
    histogram(engine::cuda(), samples, counts, rule);
    return counts;
  };
  std::vector<index_t> const sizes{50000, 20000, 3000};
  std::vector<std::vector<std::uint64_t>> alone;
  for (index_t const bins : sizes) alone.push_back(count(bins));
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t which = 0; which < sizes.size(); ++which) {
      threads.emplace_back([&, which] {
        try {
          for (int round = 0; round < 100; ++round) {
            if (count(sizes[which]) != alone[which]) ++wrong;
          }
        } catch (std::exception const&) {
          ++wrong;
        }
      });
    }
  }
  REQUIRE(wrong == 0);
}
