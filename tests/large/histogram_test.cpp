// SPDX-License-Identifier: Apache-2.0
// Histograms of more than 2^32 samples, by every algorithm: counts are known in closed form and
// checked on the GPU. The executor does the same with few samples, which tests the formulas.
#include <cstdint>

#include <libscan/sorted_histogram.cuh>
#include <tests/large/memory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_formula.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// All numbers of `bits` bits in turn, an odd number apart, again and again.
struct turns {
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  int bits;
  LIBSCAN_HOST_DEVICE index_t period() const { return index_t{1} << bits; }
  LIBSCAN_HOST_DEVICE index_t operator()(index_t i) const {
    return static_cast<index_t>(static_cast<std::uint64_t>(i) * factor) & (period() - 1);
  }
  /// How many of the first n are x.
  LIBSCAN_HOST_DEVICE index_t count(index_t x, index_t n) const {
    if (x >= period()) return 0;
    std::uint64_t inverse = factor;  // right in three bits; each step doubles them
    for (int step = 0; step < 5; ++step) inverse *= 2 - factor * inverse;
    auto const first = static_cast<index_t>(static_cast<std::uint64_t>(x) * inverse);
    return n / period() + ((first & (period() - 1)) < n % period() ? 1 : 0);
  }
};

/// Always the same number.
struct constant {
  index_t number;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t /*i*/) const { return number; }
  LIBSCAN_HOST_DEVICE index_t count(index_t x, index_t n) const { return x == number ? n : 0; }
};

/// Counts of bins, one for each integer from `first` on.
template <class Numbers>
struct counts_of {
  Numbers numbers;
  index_t first, n;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t b) const { return numbers.count(first + b, n); }
};

/// call(samples, rule, counts, totals) counts n samples. Those in [0, first) are below
/// the bins.
template <class Sample, class Numbers, class Call>
void require_counts(Numbers numbers, Sample first, index_t bins, index_t n, Call call) {
  auto const samples = filled<Sample>(n, numbers);
  device_buffer<index_t> const counts(static_cast<std::size_t>(bins));
  device_buffer<sample_totals> const totals(1);
  sample_totals expected;
  for (index_t x = 0; x < static_cast<index_t>(first); ++x) expected.below += numbers.count(x, n);
  for (index_t b = 0; b < bins; ++b) expected.inside += numbers.count(first + b, n);
  expected.above = n - expected.below - expected.inside;
  call(static_cast<Sample const*>(samples.data()), integer_bins<Sample>(first, bins), counts.data(),
       totals.data());
  REQUIRE(totals.copy().front() == expected);
  REQUIRE(difference_from(counts.data(), bins, counts_of<Numbers>{numbers, first, n}) == "");
}

/// By the algorithm for so many bins.
template <class Sample, class Numbers>
void require_production(Numbers numbers, Sample first, index_t bins, index_t n) {
  auto const bytes = static_cast<index_t>(histogram_workspace_bytes<Sample>(n, bins));
  if (!has_memory(n * static_cast<index_t>(sizeof(Sample)) + bytes + 8 * bins)) return;
  workspace ws;
  require_counts(numbers, first, bins, n,
                 [&](auto const* in, auto const& rule, index_t* counts, sample_totals* totals) {
                   histogram(ws, in, counts, rule, n, totals);
                 });
}

}  // namespace

TEST_CASE("2^32 + 5 samples of 8 bits, spread and all the same") {
  index_t const n = large(two_32 + 5);
  require_production<std::uint8_t>(turns{8}, 3, 200, n);
  require_production<std::uint8_t>(constant{77}, 3, 200, n);
  require_production<std::uint8_t>(constant{1}, 3, 200, n);
}

TEST_CASE("2^32 + 5 samples in all kinds of counters, spread and all the same") {
  index_t const n = large(two_32 + 5);
  for (index_t const bins : {300, 65000, 1 << 20}) {
    require_production<std::uint32_t>(turns{20}, 100, bins, n);
    require_production<std::uint32_t>(constant{222}, 100, bins, n);
    require_production<std::uint32_t>(constant{22}, 100, bins, n);
  }
}

TEST_CASE("2^32 + 5 samples by a sort and by counting barriers") {
  index_t const n = large(two_32 + 5);
  auto const bytes = static_cast<index_t>(sorted_histogram_workspace_bytes(n, 30));
  if (!has_memory(n + bytes)) return;
  workspace ws;
  auto const sorted = [&](auto const* in, auto const& rule, index_t* counts,
                          sample_totals* totals) {
    sorted_histogram(ws, in, counts, rule, n, totals);
  };
  auto const counted = [&](auto const* in, auto const& rule, index_t* counts,
                           sample_totals* totals) {
    counted_histogram(ws, in, n, rule, counts, totals);
  };
  require_counts<std::uint8_t>(turns{5}, 1, 30, n, sorted);
  require_counts<std::uint8_t>(constant{7}, 1, 30, n, sorted);
  require_counts<std::uint8_t>(turns{5}, 1, 30, n, counted);
  require_counts<std::uint8_t>(constant{7}, 1, 30, n, counted);
}

TEST_CASE("counters of 32 bits are refused for as many samples as could wrap them") {
  workspace ws;
  std::uint8_t const* const in = nullptr;
  std::uint32_t counts;
  std::int32_t signed_counts;
  sample_totals totals;
  integer_bins<std::uint8_t> const rule(0, 1);
  REQUIRE_THROWS_AS(histogram(ws, in, &counts, rule, two_32, &totals), invalid_argument);
  REQUIRE_THROWS_AS(sorted_histogram(ws, in, &counts, rule, two_32, &totals), invalid_argument);
  REQUIRE_THROWS_AS(counted_histogram(ws, in, two_32, rule, &counts, &totals), invalid_argument);
  REQUIRE_THROWS_AS(histogram(ws, in, &signed_counts, rule, two_31, &totals), invalid_argument);
}
