// SPDX-License-Identifier: Apache-2.0
// The device's histograms against an oracle that compares with exact edges: all ways to count,
// types of samples, kinds of bins, spreads, sizes, alignments and schedules.
#include <libscan/sorted_histogram.cuh>
#include <tests/apps/histogram/device_counts.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Small blocks with little shared memory: 13 bins are counted in 32 bits, more in buckets of 8.
struct tiny {
  static constexpr std::size_t shared_bytes = 64;
  static constexpr int bucket_bits = 3;
  struct shared {
    static constexpr int block_threads = 64;
    static constexpr int resident_blocks = 1;
    static constexpr int batch = 2;
    static constexpr index_t min_guided = 0;
  };
  struct packed : shared {};
  struct bytes : shared {};
  struct split {
    static constexpr int block_threads = 32;
    static constexpr int resident_blocks = 1;
    static constexpr int split_items = 8;
  };
  struct buckets : shared {};
};

/// The same blocks with space for 77 bins in 32 bits, and for 93 in 16.
struct tiny_packed : tiny {
  static constexpr std::size_t shared_bytes = 320;
};
constexpr int packed_bins = 85;

/// `tiny` with two bins in a bucket, fewer than there are places outside.
struct tiny_pairs : tiny {
  static constexpr int bucket_bits = 1;
};

/// The library's kernels with space for few bins in blocks: up to 509 in 32 bits, 956 in 16.
struct cramped : histogram_tuning {
  static constexpr std::size_t shared_bytes = 2048;
  static constexpr int bucket_bits = 9;
};

/// The library's kernels with a guide to edges however few the samples.
struct guided : histogram_tuning {
  struct shared : histogram_tuning::shared {
    static constexpr index_t min_guided = 0;
  };
};

/// So many that a block counts more than 16 bits hold.
struct few_threads : cramped {
  struct packed : histogram_tuning::packed {
    static constexpr int block_threads = 256;
  };
};

/// The production way counts what the oracle counts.
template <class Tuning, class Sample, class Rule>
void require_histogram(std::vector<Sample> const& samples, Rule const& rule,
                       std::vector<long double> const& edges, int offset = 0) {
  auto const n = static_cast<index_t>(samples.size());
  INFO("n = " << n << ", " << rule.bins() << " bins, offset " << offset);
  auto const expected = histogram_oracle(samples, edges);
  REQUIRE(expected.totals.all() == n);
  device_image<Sample> in(samples, offset);
  auto const bytes =
      static_cast<index_t>(histogram_workspace_bytes<Sample, Tuning>(n, rule.bins()));
  device::buffer<std::byte> const memory(bytes);
  workspace ws(memory.data(), static_cast<std::size_t>(bytes));
  Sample const* const from = in.data();
  require_counts<std::uint32_t>(expected, "production", [&](auto* counts, auto* totals) {
    histogram<Tuning>(ws, from, counts, rule, n, totals);
  });
}

/// The same in small blocks, which count `packed_bins` in 16 bits.
template <class Sample, class Rule>
void require_tiny_histogram(std::vector<Sample> const& samples, Rule const& rule,
                            std::vector<long double> const& edges, int offset = 0) {
  if (rule.bins() == packed_bins) {
    require_histogram<tiny_packed>(samples, rule, edges, offset);
  } else {
    require_histogram<tiny>(samples, rule, edges, offset);
  }
}

/// The other ways give the same.
template <class Tuning, class Sample, class Rule>
void require_other_ways(std::vector<Sample> const& samples, Rule const& rule,
                        std::vector<long double> const& edges) {
  auto const n = static_cast<index_t>(samples.size());
  INFO("n = " << n << ", " << rule.bins() << " bins");
  auto const expected = histogram_oracle(samples, edges);
  device_image<Sample> in(samples);
  workspace ws;
  Sample const* const from = in.data();
  require_counts<std::uint64_t>(expected, "production, 64 bits", [&](auto* counts, auto* totals) {
    histogram<Tuning>(ws, from, counts, rule, n, totals);
  });
  require_counts<std::uint32_t>(expected, "sort and scan", [&](auto* counts, auto* totals) {
    sorted_histogram(ws, from, counts, rule, n, totals);
  });
  if (rule.bins() > max_counted_bins) return;
  require_counts<index_t>(expected, "counting barriers", [&](auto* counts, auto* totals) {
    counted_histogram(ws, from, n, rule, counts, totals);
  });
}

/// The edges in device memory.
template <class Edge>
device_image<Edge> edges_of(std::vector<long double> const& edges) {
  return device_image<Edge>(std::vector<Edge>(edges.begin(), edges.end()));
}

/// Ranges where arithmetic with bins goes wrong.
struct even_case {
  double lo, hi;
  int bins;
};

template <class Sample>
std::vector<even_case> even_cases() {
  std::vector<even_case> cases{{0, 10, 10},
                               {0, 1, 3},
                               {-1, 1, 7},
                               {0.1, 0.7, 6},
                               {-128, 127, 256},
                               {0, 256, 1000},
                               {-3.5, 1000.25, 33},
                               {0, 100, 1},
                               {5, 5.25, 4},
                               {-32768, 32767, 99},
                               {-1e300, 1e300, 5},
                               {1e6, 1e6 + 1, 4},
                               {-70000, -1, 11},
                               {0, 25.6, 256},
                               {0, 1e5, 999},
                               {-1e20, 3e19, 37},
                               {7, 1e19, 1000},
                               {9.2e18, 9.3e18, 40},
                               // Edges that coincide, and a width that is no double.
                               {1e15, 1e15 + 1, 40},
                               {0x1p53, 0x1p53 + 64, 100},
                               {0, 1e-310, 7},
                               {0, 5e-324, 3}};
  if constexpr (std::is_arithmetic_v<Sample>) {
    auto const least = static_cast<double>(std::numeric_limits<Sample>::lowest());
    auto const most = static_cast<double>(std::numeric_limits<Sample>::max());
    if (std::isfinite(most - least)) cases.push_back({least, most, 37});
    cases.push_back({least / 2, most / 2, 200});
  } else {
    cases.push_back({-4096, 4096, 8192});
    cases.push_back({0, 60000, 3000});
  }
  return cases;
}

}  // namespace

using all_types =
    types_to_test<std::tuple<std::int8_t, float, double>, std::tuple<std::uint32_t, float16>,
                  std::tuple<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::int64_t,
                             std::uint64_t, bfloat16>>;
TEMPLATE_LIST_TEST_CASE("even-width bins are exact at every edge", "", all_types) {
  for (auto const& [lo, hi, bins] : even_cases<TestType>()) {
    INFO("from " << lo << " to " << hi);
    auto const edges = even_edges(lo, hi, bins);
    even_bins<TestType> const rule(lo, hi, bins);
    auto const samples = samples_at<TestType>(edges);
    for (TestType const& sample : samples) {
      if (rule.find(sample) == place_by_edges(exact(sample), edges)) continue;
      INFO("sample " << static_cast<double>(exact(sample)));
      REQUIRE(rule.find(sample) == place_by_edges(exact(sample), edges));
    }
    if constexpr (!few_types || sizeof(TestType) == 1 || sizeof(TestType) == 2) {
      if (bins > 40 && !on_gpu) continue;
      require_histogram<cramped>(samples, rule, edges);
    }
  }
}

using types_between_edges =
    types_to_test<std::tuple<float>, std::tuple<std::uint16_t, std::int64_t>,
                  std::tuple<std::int8_t, std::int32_t, std::uint64_t, double, float16, bfloat16>>;
TEMPLATE_LIST_TEST_CASE("edges given are compared exactly", "", types_between_edges) {
  std::vector<std::vector<long double>> const cases{
      {0, 1},
      {-7.5L, -7.25L, 0, 0, 3, 1e6L},
      {0, 1, 2, 3, 4, 5, 5},
      {-0x1p63L, -0x1p62L, 0, 0x1p53L, 0x1p53L + 2, 0x1p62L, 0x1p63L},
      even_edges(-100, 100, 77)};
  for (auto const& edges : cases) {
    auto const samples = samples_at<TestType>(edges);
    auto const in_double = edges_of<double>(edges);
    edge_bins<TestType, double> const rule(in_double.data(), static_cast<int>(edges.size()) - 1);
    // Builds of few types sort and count samples of integer bins, below.
    if constexpr (!few_types) {
      if (edges.size() < 10) require_other_ways<histogram_tuning>(samples, rule, edges);
    }
    if constexpr (!few_types || std::is_same_v<TestType, std::int64_t>) {
      require_histogram<histogram_tuning>(samples, rule, edges);
    }
    if constexpr (!few_types || !std::is_same_v<TestType, std::int64_t>) {
      require_histogram<tiny>(samples, rule, edges);
    }
    if constexpr (!quick_types && std::is_same_v<TestType, float>) {
      auto const in_float = edges_of<float>(edges);
      std::vector<long double> rounded;
      for (auto const edge : edges) rounded.push_back(static_cast<float>(edge));
      edge_bins<float> const same(in_float.data(), static_cast<int>(edges.size()) - 1);
      require_histogram<histogram_tuning>(samples, same, rounded);
    }
  }
}

TEST_CASE("edges of floats are found wherever they crowd") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float most = std::numeric_limits<float>::max();
  std::vector<long double> powers{-infinity, -most}, denormal, crowd{-1e30L}, equal(300, 2.5L);
  for (int k = 127; k >= -149; k -= 3) powers.push_back(-std::ldexp(1.0L, k));
  powers.push_back(0);
  for (int k = -149; k <= 127; k += 3) powers.push_back(std::ldexp(1.0L, k));
  powers.push_back(infinity);
  for (int k = 0; k < 200; ++k) denormal.push_back(std::ldexp(static_cast<long double>(k), -149));
  for (int k = 0; k < 2500; ++k) crowd.push_back(1 + std::ldexp(static_cast<long double>(k), -23));
  crowd.push_back(1e30L);
  for (auto& edge : crowd) edge = static_cast<float>(edge);
  equal.front() = -1;
  equal.push_back(2.75L);
  equal.push_back(99);
  auto const same = std::vector<long double>(40, 7);
  std::vector<long double> growing, last_crowd;
  for (int k = 0; k <= 512; ++k) growing.push_back(static_cast<float>(k * k) / 512);
  // Only the last two bins begin in one cell of the guide.
  for (int k = 0; k <= 8; ++k) last_crowd.push_back(k);
  last_crowd.insert(last_crowd.end(), {8 + 0x1p-10L, 9});
  for (auto const& edges :
       {powers, denormal, crowd, equal, same, growing, last_crowd, even_edges(-1, 0, 1024),
        std::vector<long double>{-infinity, infinity}, std::vector<long double>{infinity, infinity},
        std::vector<long double>{1e6L, 1e6L + 0.0625L, 1e6L + 1}}) {
    auto const d_edges = edges_of<float>(edges);
    edge_bins<float> const rule(d_edges.data(), static_cast<int>(edges.size()) - 1);
    require_histogram<guided>(samples_at<float>(edges), rule, edges);
    if constexpr (!quick_types) {
      require_histogram<histogram_tuning>(samples_at<float>(edges), rule, edges);
    }
  }
}

using wide_types =
    types_to_test<std::tuple<std::int64_t>, std::tuple<double>, std::tuple<std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("edges of 64 bits are found where floats no longer distinguish them", "",
                        wide_types) {
  using limits = std::numeric_limits<TestType>;
  std::vector<std::vector<TestType>> cases(5);
  auto const begin = static_cast<TestType>(0x1p62), end = static_cast<TestType>(0x1p63 - 1024);
  for (int k = 0; k < 300; ++k) {
    cases[0].push_back(static_cast<TestType>(begin + static_cast<TestType>(k * 1024)));
    cases[1].push_back(static_cast<TestType>(end - static_cast<TestType>((299 - k) * 1024)));
    cases[2].push_back(static_cast<TestType>(k < 150 ? TestType(k) : end - TestType(299 - k)));
    cases[3].push_back(static_cast<TestType>(limits::max() - limits::max() / 400 * (299 - k)));
  }
  if constexpr (std::is_integral_v<TestType>) {
    for (int k = 599; k >= 0; --k) {
      cases[4].push_back(static_cast<TestType>(limits::max() - static_cast<TestType>(k)));
    }
  } else {
    double edge = 1;
    for (int k = 0; k < 600; ++k, edge = std::nextafter(edge, 2.0)) cases[4].push_back(edge);
  }
  cases.push_back({limits::lowest(), limits::max()});
  for (auto const& values : cases) {
    std::vector<long double> const edges(values.begin(), values.end());
    auto samples = samples_at<TestType>(edges);
    samples.insert(samples.end(), values.begin(), values.end());
    device_image<TestType> const d_edges(values);
    edge_bins<TestType> const rule(d_edges.data(), static_cast<int>(edges.size()) - 1);
    require_histogram<guided>(samples, rule, edges);
    if constexpr (!few_types) require_histogram<histogram_tuning>(samples, rule, edges);
  }
}

using integer_types =
    types_to_test<std::tuple<std::uint8_t, std::uint32_t>, std::tuple<std::int16_t, std::int64_t>,
                  std::tuple<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("integer bins begin and end anywhere", "", integer_types) {
  using limits = std::numeric_limits<TestType>;
  for (TestType const first : {TestType(0), TestType(3), TestType(100), limits::min(),
                               TestType(limits::max() - 5), limits::max()}) {
    for (int const bins : {1, 2, 30, 256, 1000}) {
      auto const edges = integer_edges(first, bins);
      integer_bins<TestType> const rule(first, bins);
      auto const samples = samples_at<TestType>(edges);
      require_histogram<cramped>(samples, rule, edges);
      // Quick builds sort and count in the test of other histograms.
      if constexpr (!few_types || (!quick_types && sizeof(TestType) == 4)) {
        if (bins == 30) require_other_ways<cramped>(samples, rule, edges);
      }
    }
  }
}

TEST_CASE("with the smallest blocks, every n from 0 to 200 is counted as by a loop") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      int const bins = n % 3 == 0 ? 13 : n % 3 == 1 ? packed_bins : 77;
      auto const samples = spread_samples<std::uint32_t>(all_spreads[n % 7], n,
                                                         static_cast<std::uint32_t>(bins + 4));
      integer_bins<std::uint32_t> const rule(2, bins);
      auto const edges = integer_edges<std::uint32_t>(2, bins);
      require_tiny_histogram(samples, rule, edges);
      if constexpr (!quick_types) {
        if (n % 8 == 0) require_other_ways<tiny>(samples, rule, edges);
      }
    }
  });
}

TEST_CASE("small blocks count in 32 bits, in 16 bits and in buckets") {
  auto const packed_bytes = [](int bins) {
    return sizeof(unsigned) *
           static_cast<std::size_t>(device::packed_counters<std::uint32_t>::words(bins));
  };
  REQUIRE(device::counter_bytes(13) <= tiny::shared_bytes);
  REQUIRE(std::min(device::counter_bytes(77), packed_bytes(77)) > tiny::shared_bytes);
  REQUIRE(device::counter_bytes(packed_bins) > tiny_packed::shared_bytes);
  REQUIRE(packed_bytes(packed_bins) <= tiny_packed::shared_bytes);
  REQUIRE(device::counter_bytes(900) > cramped::shared_bytes);
  REQUIRE(packed_bytes(900) <= cramped::shared_bytes);
}

TEST_CASE("buckets get tiles that lack a piece, and full tables") {
  // A tile has 64 pieces of 4 samples; 8 tiles and 8 buckets fill the tables' memory.
  for (index_t const n : {252, 255, 256, 508, 2048}) {
    for (int const bins : {64, 77}) {
      auto const samples =
          spread_samples<std::uint32_t>(spread::uniform, n, static_cast<std::uint32_t>(bins + 4));
      integer_bins<std::uint32_t> const rule(2, bins);
      auto const edges = integer_edges<std::uint32_t>(2, bins);
      require_histogram<tiny>(samples, rule, edges);
      require_histogram<tiny_pairs>(samples, rule, edges);
    }
  }
}

using spread_types =
    types_to_test<std::tuple<std::uint8_t, float16>, std::tuple<double>,
                  std::tuple<std::uint32_t, std::int16_t, bfloat16, float, std::int64_t>>;
TEMPLATE_LIST_TEST_CASE("any spread is counted the same in blocks with little memory", "",
                        spread_types) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (spread const how : all_spreads) {
      for (int const bins : {13, packed_bins, 100}) {
        auto const samples =
            spread_samples<TestType>(how, scaled(3001, 1001), static_cast<std::uint32_t>(bins));
        require_tiny_histogram(samples, even_bins<TestType>(1, bins - 3, bins),
                               even_edges(1, bins - 3, bins));
      }
    }
  });
}

TEST_CASE("any spread is counted the same by the library's kernels") {
  index_t const n = on_gpu ? 3000001 : scaled(120001, 20001);
  for (spread const how : all_spreads) {
    for (int const bins : {256, 900, 3000}) {
      if (bins != 900 && !on_gpu && how != spread::hot && how != spread::sorted) continue;
      auto const range = static_cast<std::uint32_t>(bins);
      auto const words = spread_samples<std::uint32_t>(how, n, range + 2);
      auto const edges = integer_edges<std::uint32_t>(1, bins);
      integer_bins<std::uint32_t> const rule(1, bins);
      require_histogram<cramped>(words, rule, edges);
      if constexpr (!quick_types) {
        if (bins == 256) require_other_ways<cramped>(words, rule, edges);
      }
      require_histogram<histogram_tuning>(words, rule, edges);
    }
  }
}

TEST_CASE("a counter of 16 bits goes on beyond its range") {
  for (spread const how : {spread::same, spread::two, spread::hot, spread::few}) {
    auto const samples = spread_samples<std::uint32_t>(how, scaled(300001, 150001), 900);
    require_histogram<few_threads>(samples, integer_bins<std::uint32_t>(0, 900),
                                   integer_edges<std::uint32_t>(0, 900));
  }
}

#ifndef LIBSCAN_TEST_QUICK
TEST_CASE("so does one of samples outside, although no lane's first sample is") {
  std::vector<float> samples;
  float const outside[] = {-1, 1e9f, std::numeric_limits<float>::quiet_NaN()};
  for (int i = 0; i < scaled(300001, 270001); ++i) {
    samples.push_back(i % 4 == 0 ? static_cast<float>(i % 900) : outside[i % 4 - 1]);
  }
  require_histogram<few_threads>(samples, even_bins<float>(0, 900, 900), even_edges(0, 900, 900));
}
#endif

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("a great many bins are counted, in any spread") {
  if (reduced()) return;
  for (int const bins : {65536, 1 << 20, max_bins}) {
    if (bins == max_bins && !on_gpu) continue;
    for (spread const how : {spread::uniform, spread::same, spread::hot}) {
      auto const samples = spread_samples<std::uint32_t>(how, on_gpu ? 5000001 : 100001,
                                                         static_cast<std::uint32_t>(bins));
      require_histogram<histogram_tuning>(samples, integer_bins<std::uint32_t>(0, bins),
                                          integer_edges<std::uint32_t>(0, bins));
    }
  }
}
#endif

TEST_CASE("samples may begin anywhere, and their number be on the device") {
  for (int offset = 0; offset <= 16; ++offset) {
    auto const bytes = spread_samples<std::uint8_t>(spread::uniform, 1500, 250);
    require_histogram<tiny>(bytes, integer_bins<std::uint8_t>(3, 200),
                            integer_edges<std::uint8_t>(3, 200), offset);
    auto const words = spread_samples<std::int16_t>(spread::uniform, 1500, 250);
    for (int const bins : {10, packed_bins, 90}) {
      require_tiny_histogram(words, integer_bins<std::int16_t>(3, bins),
                             integer_edges<std::int16_t>(3, bins), offset);
    }
  }
  auto const samples = spread_samples<std::uint32_t>(spread::uniform, 2000, 100);
  device_image<std::uint32_t> in(samples);
  for (int const bins : {10, packed_bins, 90}) {
    for (index_t const n : {0, 1, 1234}) {
      device_image<index_t> d_n(std::vector<index_t>{n});
      auto const count = item_count::on_device(d_n.data(), 2000);
      std::vector<std::uint32_t> const part(samples.begin(), samples.begin() + n);
      auto const expected = histogram_oracle(part, integer_edges<std::uint32_t>(5, bins));
      integer_bins<std::uint32_t> const rule(5, bins);
      workspace ws;
      std::uint32_t const* const from = in.data();
      require_counts<std::uint32_t>(expected, "production", [&](auto* counts, auto* totals) {
        if (bins == packed_bins) {
          histogram<tiny_packed>(ws, from, counts, rule, count, totals);
        } else {
          histogram<tiny>(ws, from, counts, rule, count, totals);
        }
      });
      if constexpr (!quick_types) {
        require_counts<std::uint32_t>(expected, "sort and scan", [&](auto* counts, auto* totals) {
          sorted_histogram(ws, from, counts, rule, count, totals);
        });
      }
    }
  }
}

TEMPLATE_TEST_CASE("more even-width bins than are proven are exact", "", std::int16_t,
                   std::uint32_t, std::int64_t, float, double, float16) {
  for (auto const& [lo, hi] : {std::pair{-0.3, 65536.7}, {1e15, 1e15 + 3}}) {
    int const bins = even_bins<TestType>::max_proven_bins + 1;
    even_bins<TestType> const rule(lo, hi, bins);
    REQUIRE(!rule.proven());
    auto const edges = even_edges(lo, hi, bins);
    index_t wrong = 0;
    int turn = 0;
    for (TestType const& sample : samples_at<TestType>(edges)) {
      if (quick_types && turn++ % 4 != 0) continue;  // below, at and above edges, in turn
      wrong += rule.find(sample) != place_by_edges(exact(sample), edges) ? 1 : 0;
    }
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("the estimate of the usual rules is proven") {
  REQUIRE(even_bins<std::uint32_t>(0, 256, 256).proven());
  REQUIRE(even_bins<std::uint32_t>(0, 32768, 32768).proven());
  REQUIRE(even_bins<std::uint32_t>(0, 4294967296.0, 2048).proven());
  REQUIRE(even_bins<float>(0, 1, 256).proven());
  REQUIRE(even_bins<std::uint8_t>(0, 256, 10).proven());
}
