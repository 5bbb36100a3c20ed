// SPDX-License-Identifier: Apache-2.0
// --verify of scan-histogram: counts again in a plain loop, by a search among all edges, and
// reports where the results differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <apps/common/comparison.hpp>
#include <libscan/histogram.hpp>

namespace libscan::apps {

/// Edges as exact numbers: a long double can represent 64-bit integers and doubles.
using exact_edges = std::vector<long double>;

/// The edges of even-width bins: lo + k (hi - lo) / bins, each step rounded to double.
inline exact_edges edges_to_verify(double lo, double hi, int bins) {
  double const volatile width = (hi - lo) / bins;
  exact_edges edges;
  for (int k = 0; k < bins; ++k) {
    double const volatile multiple = width * k;
    double const volatile edge = lo + multiple;
    edges.push_back(edge < hi ? edge : hi);
  }
  edges.push_back(hi);
  return edges;
}

/// The bin of x; -1 if it is in none, which `totals` then counts.
inline index_t bin_to_verify(long double x, exact_edges const& edges, sample_totals& totals) {
  if (std::isnan(x)) {
    ++totals.nan;
  } else if (x < edges.front()) {
    ++totals.below;
  } else if (x > edges.back()) {
    ++totals.above;
  } else {
    ++totals.inside;
    return std::upper_bound(edges.begin(), edges.end() - 1, x) - edges.begin() - 1;
  }
  return -1;
}

/// Empty if the counts and totals are right for the samples between the edges; else the first
/// difference.
template <class T>
std::string verify_counts(std::span<T const> samples, exact_edges const& edges,
                          std::span<index_t const> counts, sample_totals const& totals) {
  std::vector<index_t> expected(edges.size() - 1);
  sample_totals found;
  for (T const sample : samples) {
    index_t const bin = bin_to_verify(static_cast<long double>(sample), edges, found);
    if (bin >= 0) ++expected[static_cast<std::size_t>(bin)];
  }
  for (std::size_t b = 0; b < expected.size(); ++b) {
    if (expected[b] != counts[b]) return wrong_item(b, counts[b], expected[b]);
  }
  if (found == totals) return "";
  return std::to_string(totals.inside) + " samples are inside, expected " +
         std::to_string(found.inside) + ", or others outside";
}

/// The same for sums of weights. They are added in another order, so that they may differ by what
/// rounding can make of so many numbers.
template <class T>
std::string verify_sums(std::span<T const> samples, std::span<double const> weights,
                        exact_edges const& edges, std::span<double const> sums,
                        sample_totals const& totals) {
  std::vector<long double> expected(edges.size() - 1), sizes(edges.size() - 1);
  std::vector<index_t> times(edges.size() - 1);
  sample_totals found;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    index_t const bin = bin_to_verify(static_cast<long double>(samples[i]), edges, found);
    if (bin < 0) continue;
    auto const b = static_cast<std::size_t>(bin);
    expected[b] += weights[i];
    sizes[b] += std::fabs(static_cast<long double>(weights[i]));
    ++times[b];
  }
  for (std::size_t b = 0; b < expected.size(); ++b) {
    auto const want = static_cast<double>(expected[b]);
    long double const bound = sizes[b] * static_cast<long double>(times[b]) * 0x1p-52L;
    bool const same = want == sums[b] || (std::isnan(want) && std::isnan(sums[b])) ||
                      std::fabs(expected[b] - static_cast<long double>(sums[b])) <= bound;
    if (!same) return wrong_item(b, sums[b], want);
  }
  if (found == totals) return "";
  return std::to_string(totals.inside) + " samples are inside, expected " +
         std::to_string(found.inside) + ", or others outside";
}

}  // namespace libscan::apps
