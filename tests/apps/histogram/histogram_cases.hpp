// SPDX-License-Identifier: Apache-2.0
// What the tests of histograms share: types of samples, values at which bins go wrong, and an
// oracle that knows edges only as exact numbers and counts in a plain loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <libscan/bins.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

/// The number that a sample is: exact, since a long double holds 64-bit integers and doubles.
template <class Sample>
long double exact(Sample sample) {
  return static_cast<long double>(sample);
}
inline long double exact(bfloat16 sample) {
  std::uint32_t const word = std::uint32_t{sample.bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
inline long double exact(float16 sample) {
  int const exponent = sample.bits >> 10 & 31, fraction = sample.bits & 1023;
  long double const sign = (sample.bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<long double>::quiet_NaN()
                         : sign * std::numeric_limits<long double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<long double>(fraction), -24);
  return sign * std::ldexp(static_cast<long double>(1024 + fraction), exponent - 25);
}

/// A sample of any type from a number: the nearest, or one of those with its last bits.
template <class Sample>
Sample sample_of(double number) {
  if constexpr (std::is_integral_v<Sample> && sizeof(Sample) < 8) {
    return static_cast<Sample>(static_cast<std::int64_t>(number));  // its last bits
  } else {
    return static_cast<Sample>(number);
  }
}
template <>
inline bfloat16 sample_of(double number) {
  auto const value = static_cast<float>(number);
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return bfloat16::of_bits(static_cast<std::uint16_t>(word >> 16));
}
template <>
inline float16 sample_of(double number) {
  if (number == 0) return float16{};
  int exponent;
  double const fraction = std::frexp(std::fabs(number), &exponent);
  std::uint16_t const sign = number < 0 ? 0x8000 : 0;
  if (exponent < -13) {
    return float16::of_bits(
        static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(std::fabs(number), 24))));
  }
  int const digits = static_cast<int>(fraction * 2048) - 1024;
  return float16::of_bits(static_cast<std::uint16_t>(sign | (exponent + 14) << 10 | digits));
}

/// What a histogram is to give.
struct expected_histogram {
  std::vector<std::uint64_t> counts;
  sample_totals totals;
};

/// Where a sample belongs, by the edges, in a plain search from the end: the last bin is closed.
inline int place_by_edges(long double x, std::vector<long double> const& edges) {
  int const bins = static_cast<int>(edges.size()) - 1;
  if (std::isnan(x)) return bins + place_nan;
  if (x < edges.front()) return bins + place_below;
  if (x > edges.back()) return bins + place_above;
  auto const past = std::upper_bound(edges.begin(), edges.end() - 1, x);
  return static_cast<int>(past - edges.begin()) - 1;
}

/// Counts samples between edges.
template <class Sample>
expected_histogram histogram_oracle(std::vector<Sample> const& samples,
                                    std::vector<long double> const& edges) {
  auto const bins = edges.size() - 1;
  expected_histogram expected{std::vector<std::uint64_t>(bins), {}};
  for (Sample const& sample : samples) {
    auto const place = static_cast<std::size_t>(place_by_edges(exact(sample), edges));
    if (place < bins) {
      ++expected.counts[place];
      ++expected.totals.inside;
    } else {
      ++(place == bins + place_below   ? expected.totals.below
         : place == bins + place_above ? expected.totals.above
                                       : expected.totals.nan);
    }
  }
  return expected;
}

/// The edges of even-width bins, as the documentation says, and no faster.
inline std::vector<long double> even_edges(double lo, double hi, int bins) {
  double const volatile width = (hi - lo) / bins;
  std::vector<long double> edges;
  for (int k = 0; k < bins; ++k) {
    double const volatile multiple = k * width;
    double const volatile edge = lo + multiple;
    edges.push_back(edge > hi ? hi : edge);
  }
  edges.push_back(hi);
  return edges;
}

/// The edges of integer bins: the last bin is closed by its only number.
template <class Sample>
std::vector<long double> integer_edges(Sample first, int bins) {
  std::vector<long double> edges;
  for (int k = 0; k < bins; ++k) edges.push_back(exact(first) + k);
  edges.push_back(edges.back());
  return edges;
}

/// The samples that matter to edges: the nearest to each and their neighbors, limits, and of
/// floats infinities and NaN.
template <class Sample>
std::vector<Sample> samples_at(std::vector<long double> const& edges) {
  std::vector<Sample> samples;
  if constexpr (std::is_arithmetic_v<Sample>) {
    using limits = std::numeric_limits<Sample>;
    samples = {limits::lowest(), limits::max(), Sample(0), Sample(1)};
    for (long double const edge : edges) {
      if (edge <= exact(limits::lowest()) || edge >= exact(limits::max())) continue;
      auto const near = static_cast<Sample>(edge);
      if constexpr (std::is_integral_v<Sample>) {
        for (int step = -1; step <= 1; ++step) samples.push_back(static_cast<Sample>(near + step));
      } else {
        samples.insert(samples.end(), {near, std::nextafter(near, limits::max()),
                                       std::nextafter(near, limits::lowest())});
      }
    }
    if constexpr (std::is_floating_point_v<Sample>) {
      samples.insert(samples.end(), {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                                     -limits::quiet_NaN(), limits::denorm_min(), Sample(-0.0)});
    }
  } else {
    // There are few enough to take them all.
    for (int bits = 0; bits < 65536; bits += 7) {
      samples.push_back(Sample::of_bits(static_cast<std::uint16_t>(bits)));
    }
    for (long double const edge : edges) {
      if (!(std::fabs(edge) < 60000)) continue;
      auto const near = sample_of<Sample>(static_cast<double>(edge));
      for (int step = -2; step <= 2; ++step) {
        samples.push_back(Sample::of_bits(static_cast<std::uint16_t>(near.bits + step)));
      }
    }
  }
  return samples;
}

/// How samples are spread over [0, range).
enum class spread { uniform, same, two, zipf, sorted, hot, few };
constexpr spread all_spreads[] = {spread::uniform, spread::same, spread::two, spread::zipf,
                                  spread::sorted,  spread::hot,  spread::few};

/// n whole numbers of a spread.
inline std::vector<std::uint32_t> spread_numbers(spread how, index_t n, std::uint32_t range) {
  random_words words(static_cast<std::uint64_t>(how) * 77 + static_cast<std::uint64_t>(n));
  std::vector<std::uint32_t> numbers;
  auto const any = [&] { return static_cast<std::uint32_t>(words.below(range)); };
  std::uint32_t const hot = any(), other = any();
  for (index_t i = 0; i < n; ++i) {
    std::uint32_t number = any();
    if (how == spread::same) number = hot;
    if (how == spread::two) number = words.below(2) == 0 ? hot : other;
    if (how == spread::hot && words.below(2) == 0) number = hot;
    if (how == spread::few) number = number % 5 * (range / 5);
    if (how == spread::sorted) number = static_cast<std::uint32_t>(i * range / n);
    if (how == spread::zipf) {
      double const u = static_cast<double>(words() >> 11) * 0x1p-53;
      number = static_cast<std::uint32_t>(std::pow(static_cast<double>(range), u)) - 1;
    }
    numbers.push_back(number < range ? number : range - 1);
  }
  return numbers;
}

/// The same as samples.
template <class Sample>
std::vector<Sample> spread_samples(spread how, index_t n, std::uint32_t range) {
  std::vector<Sample> samples;
  for (auto const number : spread_numbers(how, n, range)) {
    samples.push_back(sample_of<Sample>(number));
  }
  return samples;
}

}  // namespace libscan::test
