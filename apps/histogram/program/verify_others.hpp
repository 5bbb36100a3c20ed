// SPDX-License-Identifier: Apache-2.0
// --verify=NAME of scan-histogram: another library counts the samples of each bin, or adds up their
// weights. It gets the number of each sample's bin, as the loop of --verify finds it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <apps/histogram/program/verify.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

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
