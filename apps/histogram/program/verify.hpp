// SPDX-License-Identifier: Apache-2.0
// --verify of scan-histogram: counts again in a plain loop, by a search among all edges, and
// reports where the results differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <libscan/histogram.hpp>
#include <libscan/host/on_engine.hpp>

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

/// The number of times that each of 0, ..., bins - 1 occurs among `places`, by
/// cub::DeviceHistogram::HistogramEven on the current GPU. Only in builds with CUDA. Throws
/// `device_error`.
std::vector<index_t> counts_by_cub(std::span<std::int32_t const> places, int bins);

/// The same by thrust::sort and thrust::upper_bound.
std::vector<index_t> counts_by_thrust(std::span<std::int32_t const> places, int bins);

/// The sums of the weights at each place: sorted by cub::DeviceRadixSort, added up by
/// cub::DeviceReduce::ReduceByKey.
std::vector<double> sums_by_cub(std::span<std::int32_t const> places,
                                std::span<double const> weights, int bins);

/// The same by thrust::stable_sort_by_key and thrust::reduce_by_key.
std::vector<double> sums_by_thrust(std::span<std::int32_t const> places,
                                   std::span<double const> weights, int bins);

/// The same counts by std::sort and std::upper_bound.
inline std::vector<index_t> counts_by_standard(std::vector<std::int32_t> places, int bins) {
  std::sort(places.begin(), places.end());
  std::vector<index_t> counts;
  auto begin = places.begin();
  for (std::int32_t bin = 0; bin < bins; ++bin) {
    auto const end = std::upper_bound(begin, places.end(), bin);
    counts.push_back(end - begin);
    begin = end;
  }
  return counts;
}

/// The same sums by std::stable_sort of positions, and std::accumulate.
inline std::vector<double> sums_by_standard(std::span<std::int32_t const> places,
                                            std::span<double const> weights, int bins) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  std::vector<double> sums;
  auto begin = order.begin();
  for (std::int32_t bin = 0; bin < bins; ++bin) {
    auto const end =
        std::find_if(begin, order.end(), [&](std::size_t i) { return places[i] > bin; });
    sums.push_back(std::accumulate(begin, end, 0.0,
                                   [&](double sum, std::size_t i) { return sum + weights[i]; }));
    begin = end;
  }
  return sums;
}

/// Samples inside the bins: the number of the bin of each, and its weight if there are weights.
struct placed_samples {
  std::vector<std::int32_t> places;
  std::vector<double> weights;
};

/// Those of `samples`; `weights` may be empty.
template <class T>
placed_samples placed_in(std::span<T const> samples, std::span<double const> weights,
                         exact_edges const& edges) {
  placed_samples inside;
  sample_totals outside;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    index_t const bin = bin_to_verify(static_cast<long double>(samples[i]), edges, outside);
    if (bin < 0) continue;
    inside.places.push_back(static_cast<std::int32_t>(bin));
    if (!weights.empty()) inside.weights.push_back(weights[i]);
  }
  return inside;
}

/// The counts of `by`. Throws `device_error`.
inline std::vector<index_t> counts_by(verifier by, placed_samples const& inside, int bins) {
  if (by == verifier::standard) return counts_by_standard(inside.places, bins);
  if constexpr (libscan::detail::has_cuda) {
    return by == verifier::cub ? counts_by_cub(inside.places, bins)
                               : counts_by_thrust(inside.places, bins);
  } else {
    libscan::detail::refuse_cuda();
  }
}

/// The sums of `by`. Throws `device_error`.
inline std::vector<double> sums_by(verifier by, placed_samples const& inside, int bins) {
  if (by == verifier::standard) return sums_by_standard(inside.places, inside.weights, bins);
  if constexpr (libscan::detail::has_cuda) {
    return by == verifier::cub ? sums_by_cub(inside.places, inside.weights, bins)
                               : sums_by_thrust(inside.places, inside.weights, bins);
  } else {
    libscan::detail::refuse_cuda();
  }
}

}  // namespace libscan::apps
