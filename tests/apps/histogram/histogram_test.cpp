// SPDX-License-Identifier: Apache-2.0
// The native histogram and the host API against an oracle that compares with exact edges.
#include <tuple>

#include <apps/histogram/cpu/shared_counts.hpp>
#include <apps/histogram/program/verify.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/histogram.hpp>
#include <tests/apps/histogram/histogram_cases.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class Count, class Sample, class Rule>
void require_native(std::vector<Sample> const& samples, Rule const& rule,
                    expected_histogram const& expected) {
  auto const n = static_cast<index_t>(samples.size());
  static int turn = 0;
  ++turn;
  for (int const threads : thread_counts) {
    if (quick_types && turn++ % 2 == 0) continue;  // one and three, or two and many
    INFO(threads << " threads, n = " << n << ", " << rule.bins() << " bins");
    guarded_buffer<Count> counts(rule.bins(), 1);
    sample_totals totals;
    with_threads(threads,
                 [&] { totals = cpu::histogram(threads, samples.data(), counts.data(), rule, n); });
    REQUIRE(difference(std::vector<Count>(expected.counts.begin(), expected.counts.end()),
                       counts.copy()) == "");
    REQUIRE(counts.damage() == "");
    REQUIRE(totals == expected.totals);
    REQUIRE(totals.all() == n);
  }
}

template <class Count = std::uint32_t, class Sample, class Rule>
void require_host_api(std::vector<Sample> const& samples, Rule const& rule,
                      expected_histogram const& expected) {
  std::vector<Count> counts(expected.counts.size() + 1, 77);
  auto const totals = histogram(engine::cpu(2), samples, counts, rule);
  REQUIRE(totals == expected.totals);
  REQUIRE(counts.back() == 77);
  counts.pop_back();
  REQUIRE(difference(std::vector<Count>(expected.counts.begin(), expected.counts.end()), counts) ==
          "");
}

/// Of several chunks.
constexpr index_t large = sized(600000, 150000);

}  // namespace

using all_samples =
    types_to_test<std::tuple<std::int8_t, std::uint32_t, std::int64_t, double, float16>,
                  std::tuple<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint64_t,
                             float, bfloat16>>;

TEMPLATE_LIST_TEST_CASE("the native engine and the host API count every type in all kinds of bins",
                        "", all_samples) {
  for (auto const& [lo, hi] : {std::pair{0.0, 100.0}, {-3.5, 99.7}, {20.0, 21.0}, {1e5, 2e5}}) {
    for (int const bins : {1, 7, 100, 3000}) {
      if (reduced() && bins != 7) continue;
      auto const edges = even_edges(lo, hi, bins);
      auto samples = samples_at<TestType>(edges);
      even_bins<TestType> const even(lo, hi, bins);
      auto const expected = histogram_oracle(samples, edges);
      require_native<std::uint64_t>(samples, even, expected);
      require_host_api(samples, even, expected);
      require_host_api<std::int32_t>(samples, even, expected);
      require_host_api<std::uint64_t>(samples, even, expected);
      require_host_api<long long>(samples, even, expected);
      std::vector<double> const given(edges.begin(), edges.end());
      edge_bins<TestType, double> const between(given.data(), bins);
      require_native<std::int32_t>(samples, between, expected);
      require_host_api(samples, between, expected);
      if constexpr (std::is_integral_v<TestType>) {
        auto const first = static_cast<TestType>(20);
        require_host_api(samples, integer_bins<TestType>(first, bins),
                         histogram_oracle(samples, integer_edges(first, bins)));
      }
    }
  }
}

TEMPLATE_TEST_CASE("edges of the samples' own type", "", std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<TestType>;
  std::vector<TestType> const edges{limits::min(), TestType(9007199254740993), limits::max() - 1,
                                    limits::max()};
  std::vector<TestType> const samples{
      limits::min(),     TestType(9007199254740992), TestType(9007199254740993),
      limits::max() - 2, limits::max() - 1,          limits::max()};
  std::vector<long double> const exact_edges(edges.begin(), edges.end());
  require_host_api(samples, edge_bins<TestType>(edges.data(), 3),
                   histogram_oracle(samples, exact_edges));
}

using spread_types = types_to_test<std::tuple<std::uint8_t, std::int64_t, float>,
                                   std::tuple<std::int16_t, std::uint32_t, double>>;
TEMPLATE_LIST_TEST_CASE("the native engine counts any spread", "", spread_types) {
  for (spread const how : all_spreads) {
    for (int const bins : {100, 250, 1500, 3000, 10000}) {
      if (sizeof(TestType) == 1 && bins > 250) continue;
      if (reduced() && bins != 250 && bins != 1500) continue;
      for (index_t const n : sized_list<index_t>({0, 1, 127, 128, 129, 5000, 20011, large},
                                                 {0, 1, 127, 128, 129, 20011, large})) {
        if (n == large && bins != 1500) continue;
        auto const range = static_cast<std::uint32_t>(bins);
        auto const samples = spread_samples<TestType>(how, n, range);
        even_bins<TestType> const rule(2, bins - 3, bins);
        require_native<std::uint32_t>(samples, rule,
                                      histogram_oracle(samples, even_edges(2, bins - 3, bins)));
      }
    }
  }
}

TEMPLATE_TEST_CASE("few samples of 8 bits, whose values or bins are counted", "", std::int8_t,
                   std::uint8_t) {
  constexpr auto least = std::numeric_limits<TestType>::min();
  for (spread const how : all_spreads) {
    for (index_t const n : {0, 1, 7, 8, 127, 128, 129, 300, 511, 512, 1000, 8000}) {
      auto const samples = spread_samples<TestType>(how, n, 256);
      for (auto const& [first, bins] :
           {std::pair{least, 256}, {least, 255}, {TestType(least + 1), 300}, {TestType(20), 50}}) {
        integer_bins<TestType> const rule(first, bins);
        require_native<std::uint32_t>(samples, rule,
                                      histogram_oracle(samples, integer_edges(first, bins)));
      }
      auto const edges = even_edges(-7.5, 101.25, 33);
      auto const expected = histogram_oracle(samples, edges);
      std::vector<double> const given(edges.begin(), edges.end());
      require_native<std::int64_t>(samples, even_bins<TestType>(-7.5, 101.25, 33), expected);
      require_native<std::uint32_t>(samples, edge_bins<TestType, double>(given.data(), 33),
                                    expected);
    }
  }
}

TEST_CASE("the native engine counts a great many bins") {
  int const bins = static_cast<int>(sized(1 << 20, 1 << 18));
  auto const samples = spread_samples<std::uint32_t>(spread::uniform, 2 * bins + 2848,
                                                     static_cast<std::uint32_t>(bins));
  require_native<std::uint32_t>(samples, integer_bins<std::uint32_t>(5, bins),
                                histogram_oracle(samples, integer_edges(std::uint32_t{5}, bins)));
}

TEST_CASE("narrow counters of a great many bins carry, at any place and beyond the bins") {
  for (spread const how : all_spreads) {
    // Chunks, runs and repeats that begin narrow counters anew many times over.
    for (int const range : {40000, 1 << 16}) {
      if (reduced() && range == 40000) continue;
      int const bins = 40000;
      auto const samples = spread_samples<std::uint32_t>(how, sized(700000, 350000),
                                                         static_cast<std::uint32_t>(range));
      integer_bins<std::uint32_t> const rule(7, bins);
      auto const expected = histogram_oracle(samples, integer_edges(std::uint32_t{7}, bins));
      require_native<std::uint32_t>(samples, rule, expected);
      if (!quick_types) require_native<std::int64_t>(samples, rule, expected);
    }
  }
}

TEST_CASE("a counter takes as many samples as it holds, and not one more") {
  for (std::uint64_t const first : {0U, 1U, 254U, 255U}) {
    for (bool const carried : {false, true}) {
      INFO(first << " samples, then " << 255 - first << (carried ? ", carried" : ""));
      std::vector<std::uint8_t> counts{7, 0, 9};
      cpu::detail::shared_counts<std::uint8_t> shared(counts.data(), 3);
      auto const add = [&](std::uint64_t more) {
        if (carried) {
          shared.carry(1, more);
        } else {
          shared.add(1, more);
        }
      };
      add(first);
      add(255 - first);
      CHECK(shared.totals(271).inside == 271);
      CHECK(counts == std::vector<std::uint8_t>{7, 255, 9});
      add(1);
      CHECK_THROWS_AS(shared.totals(272), invalid_argument);
    }
  }
}

TEST_CASE("a narrow table fills a counter exactly, or finds it full") {
  std::vector<std::uint8_t> const most{200, 0, 1}, rest{55, 255, 0}, one{1, 0, 0};
  std::vector<std::uint8_t> counts(3, 0);
  cpu::detail::shared_counts<std::uint8_t> shared(counts.data(), 3);
  shared.add_narrow(most.data(), 0, 3, 201);
  shared.add_narrow(rest.data(), 0, 3, 310);
  CHECK(shared.totals(511).inside == 511);
  CHECK(counts == std::vector<std::uint8_t>{255, 255, 1});
  shared.add_narrow(one.data(), 0, 3, 256);
  CHECK_THROWS_AS(shared.totals(512), invalid_argument);
}

TEST_CASE("--verify compares all counts, all sums and all totals") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const samples{-1, 1, 2, 12, 200, 300, 400, nan, 150}, weights(9, 0.5);
  apps::exact_edges const edges{0, 10, 100, 160};
  std::span<double const> const in(samples), with(weights);
  std::vector<index_t> const counts{2, 1, 1};
  std::vector<double> const sums{1, 0.5, 0.5};
  sample_totals const totals{1, 4, 3, 1};
  CHECK(apps::verify_counts(in, edges, counts, totals) == "");
  CHECK(apps::verify_sums(in, with, edges, sums, totals) == "");
  for (auto const member : {&sample_totals::below, &sample_totals::inside, &sample_totals::above,
                            &sample_totals::nan}) {
    sample_totals wrong = totals;
    for (int const off : {1, -1}) {
      wrong.*member = totals.*member + off;
      CHECK(apps::verify_counts(in, edges, counts, wrong) != "");
      CHECK(apps::verify_sums(in, with, edges, sums, wrong) != "");
    }
  }
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    for (int const off : {1, -1}) {
      auto wrong = counts;
      auto wrong_sums = sums;
      wrong[bin] += off;
      wrong_sums[bin] += off * 0.5;
      std::string const item = "item " + std::to_string(bin) + " is ";
      CHECK(apps::verify_counts(in, edges, wrong, totals).starts_with(item));
      CHECK(apps::verify_sums(in, with, edges, wrong_sums, totals).starts_with(item));
    }
  }
}

TEST_CASE("few samples of a great many bins") {
  int const bins = 1 << 16;
  for (index_t const n : {0, 1, 1000, 9000, 131077, 131078, 131079}) {
    auto const samples = spread_samples<float>(spread::zipf, n, 70000);
    even_bins<float> const rule(3, 60000, bins);
    require_native<std::uint32_t>(samples, rule,
                                  histogram_oracle(samples, even_edges(3, 60000, bins)));
  }
}

TEST_CASE("weights are summed, bitwise the same for any number of threads") {
  index_t const n = sized(300000, 100000);
  auto const samples = spread_samples<float>(spread::zipf, n, 60);
  auto const whole = libscan::test::make_input<float>(pattern::small, n);
  auto const any = libscan::test::make_input<double>(pattern::random, n);
  even_bins<float> const rule(1, 50, 49);
  std::vector<double> expected(49), sums(49), first(49);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    int const place = place_by_edges(exact(samples[i]), even_edges(1, 50, 49));
    if (place < 49) expected[static_cast<std::size_t>(place)] += static_cast<double>(whole[i]);
  }
  auto const totals = weighted_histogram(engine::cpu(2), samples, whole, sums, rule);
  REQUIRE(difference(expected, sums) == "");
  REQUIRE(totals == histogram_oracle(samples, even_edges(1, 50, 49)).totals);
  weighted_histogram(engine::cpu(1), samples, any, first, rule);
  for (int const threads : thread_counts) {
    with_threads(threads,
                 [&] { weighted_histogram(engine::cpu(threads), samples, any, sums, rule); });
    REQUIRE(bit_difference(first, sums) == "");
  }
}

TEST_CASE("one bin as wide as doubles reach") {
  constexpr double most = std::numeric_limits<double>::max();
  for (auto const& [lo, hi] : {std::pair{0.0, most}, {-most, 0.0}, {-most / 2, most / 2}}) {
    for (int const bins : {1, 2}) {
      even_bins<double> const rule(lo, hi, bins);
      for (double const x : {lo, hi, lo / 2 + hi / 2, 1.0, -1.0}) {
        bool const inside = x >= lo && x <= hi;
        bool const upper = bins == 2 && x >= rule.edge(1);
        int const outside = bins + (x < lo ? place_below : place_above);
        CHECK(rule.find(x) == (inside ? (upper ? 1 : 0) : outside));
      }
    }
  }
}

TEST_CASE("results may not lie where samples, weights or edges are") {
  auto const on = engine::cpu(1);
  std::vector<std::uint32_t> samples(100, 5);
  auto const before = samples;
  integer_bins<std::uint32_t> const rule(0, 10);
  REQUIRE_THROWS_WITH(
      histogram(on, samples, samples, rule),
      "histogram: the results overlap the samples; expected memory separate from it");
  std::vector<double> numbers(100, 1.0);
  REQUIRE_THROWS_AS(weighted_histogram(on, samples, numbers, numbers, rule), invalid_argument);
  std::vector<std::int64_t> edges{0, 10, 20};
  REQUIRE_THROWS_AS(
      histogram(on, std::vector<std::int64_t>{1}, edges, edge_bins<std::int64_t>(edges.data(), 2)),
      invalid_argument);
  REQUIRE(samples == before);
  // Only as many results are written as there are bins.
  std::span<std::uint32_t> const all(samples);
  histogram(on, all.subspan(10), all, rule);
  REQUIRE(samples[5] == 90);
}

TEST_CASE("what the host API cannot do it says") {
  std::vector<float> const samples{1, 2, 3};
  std::vector<std::uint32_t> counts(4);
  std::vector<double> sums(4), weights(2);
  auto const on = engine::cpu(1);
  even_bins<float> const rule(0, 1, 5);
  REQUIRE_THROWS_AS(histogram(on, samples, counts, rule), invalid_argument);
  REQUIRE_THROWS_AS(weighted_histogram(on, samples, weights, sums, even_bins<float>(0, 1, 4)),
                    invalid_argument);
  std::vector<double> const falling{0, 2, 1}, nan{0, std::numeric_limits<double>::quiet_NaN(), 1};
  REQUIRE_THROWS_AS(histogram(on, samples, counts, edge_bins<float, double>(falling.data(), 2)),
                    invalid_argument);
  REQUIRE_THROWS_AS(histogram(on, samples, counts, edge_bins<float, double>(nan.data(), 2)),
                    invalid_argument);
  std::vector<float> const short_nan{0, 1, std::numeric_limits<float>::quiet_NaN()};
  REQUIRE_THROWS_AS(histogram(on, samples, counts, edge_bins<float>(short_nan.data(), 2)),
                    invalid_argument);
  std::vector<std::int64_t> const longs{1}, falling_longs{1, (1LL << 60) + 1, 1LL << 60};
  REQUIRE_THROWS_WITH(
      histogram(on, longs, counts, edge_bins<std::int64_t>(falling_longs.data(), 2)),
      "histogram: edges 1 and 2 are 1152921504606846977 and 1152921504606846976; "
      "expected numbers that ascend");
  REQUIRE_THROWS_WITH(even_bins<float>(1e-9, -1e-9, 5),
                      "histogram: range 1e-09 to -1e-09; expected finite ends, the lower first");
  REQUIRE_THROWS_AS(cpu::histogram(0, samples.data(), counts.data(), rule, 3), invalid_argument);
  std::vector<std::int32_t> small(1);
  REQUIRE(histogram(on, std::vector<std::uint8_t>{}, small, even_bins<std::uint8_t>(0, 1, 1)) ==
          sample_totals{});
  REQUIRE(small[0] == 0);
}

using types_by_any_name =
    types_to_test<std::tuple<char, long long>,
                  std::tuple<char16_t, long, unsigned long, unsigned long long>>;
TEMPLATE_LIST_TEST_CASE("integers by any name are counted like those of their width", "",
                        types_by_any_name) {
  using fixed = cpu::fixed_width<TestType>;
  if constexpr (sizeof(TestType) > 1) {
    static_assert(cpu::detail::has_inside_check<TestType, integer_bins<TestType>>);
  }
  for (index_t const n :
       {index_t{0}, index_t{1}, index_t{127}, index_t{128}, index_t{5000}, large}) {
    for (spread const how : all_spreads) {
      auto const samples = spread_samples<fixed>(how, n, 120);
      std::vector<TestType> const same(samples.begin(), samples.end());
      for (int const bins : {7, 100, 3000, 40000}) {
        if (n > 5000 && (quick_types ? bins != 3000 : bins > 3000)) continue;
        if (quick_types && bins > 3000 && n != 128) continue;
        auto const first = static_cast<TestType>(5);
        require_native<std::uint32_t>(
            same, integer_bins<TestType>(first, bins),
            histogram_oracle(samples, integer_edges(static_cast<fixed>(first), bins)));
      }
    }
  }
}

TEST_CASE("histograms refuse results that share memory with what is read") {
  std::vector<std::uint32_t> samples(30, 1), counts(10);
  integer_bins<std::uint32_t> const rule(0, 10);
  REQUIRE_NOTHROW(cpu::histogram(2, samples.data(), samples.data() + 20, rule, 20));
  REQUIRE_THROWS_AS(cpu::histogram(2, samples.data(), samples.data() + 19, rule, 20),
                    invalid_argument);
  std::vector<float> edges{0, 1, 2, 3, 4}, numbers(20), weights(20);
  edge_bins<float> const between(edges.data(), 4);
  auto* const over_edges = reinterpret_cast<std::uint32_t*>(edges.data() + 4);
  REQUIRE_THROWS_AS(cpu::histogram(2, numbers.data(), over_edges, between, 20), invalid_argument);
  auto const sum = [&](float* sums) {
    return cpu::weighted_histogram(2, numbers.data(), weights.data(), sums, between, 20);
  };
  std::vector<float> sums(4);
  REQUIRE_NOTHROW(sum(sums.data()));
  for (float* const over : {numbers.data() + 19, weights.data(), edges.data() + 4}) {
    REQUIRE_THROWS_AS(sum(over), invalid_argument);
  }
}
