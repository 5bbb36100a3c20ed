// SPDX-License-Identifier: Apache-2.0
// Histograms by a search among exact edges, sample by sample.
#include <algorithm>
#include <cmath>

#include <apps/check/case_data.hpp>
#include <apps/check/oracle_parts.hpp>
#include <apps/histogram/program/verify.hpp>

namespace libscan::apps {
namespace {

/// The edges of a case; the last bin of integers is closed, with its only number.
template <class T>
exact_edges edges_of(check_case const& c, placed in) {
  if (c.what == task::even_histogram || c.what == task::weighted_histogram ||
      c.what == task::sparse_histogram) {
    auto const [lo, hi] = range_of(c);
    return edges_to_verify(lo, hi, c.bins);
  }
  exact_edges edges;
  T const* const given = in.at<T>(slot::edges);
  for (index_t k = 0; k <= c.bins; ++k) {
    edges.push_back(given != nullptr ? static_cast<long double>(given[k])
                                     : static_cast<long double>(first_bin<T>(c)) +
                                           std::min<index_t>(k, c.bins - 1));
  }
  return edges;
}

/// The samples of each bin, one by one.
template <class T, class Found>
void each_sample(check_case const& c, placed in, placed out, Found found) {
  exact_edges const edges = edges_of<T>(c, in);
  T const* const samples = in.at<T>(slot::items);
  sample_totals totals;
  for (index_t i = 0; i < c.n; ++i) {
    index_t const bin = bin_to_verify(static_cast<long double>(samples[i]), edges, totals);
    if (bin >= 0) found(i, static_cast<std::size_t>(bin));
  }
  index_t const all[] = {totals.below, totals.inside, totals.above, totals.nan};
  std::copy(std::begin(all), std::end(all), out.at<index_t>(slot::count));
}

template <class T>
void count_samples(check_case const& c, placed in, placed out) {
  auto* const counts = out.at<std::uint64_t>(slot::counts);
  std::fill_n(counts, c.bins, std::uint64_t{0});
  each_sample<T>(c, in, out, [=](index_t, std::size_t bin) { ++counts[bin]; });
}

template <class T>
void list_full_bins(check_case const& c, placed in, placed out) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(c.bins));
  each_sample<T>(c, in, out, [&](index_t, std::size_t bin) { ++counts[bin]; });
  index_t full = 0;
  for (index_t b = 0; b < c.bins; ++b) {
    if (counts[static_cast<std::size_t>(b)] == 0) continue;
    out.at<index_t>(slot::places)[full] = b;
    out.at<std::uint64_t>(slot::counts)[full++] = counts[static_cast<std::size_t>(b)];
  }
  *out.at<index_t>(slot::total) = full;
}

template <class T>
void add_weights(check_case const& c, placed in, placed out, tolerances& allowed) {
  double const* const weights = in.at<double>(slot::values);
  auto const bins = static_cast<std::size_t>(c.bins);
  std::vector<long double> sums(bins), magnitudes(bins), terms(bins, 1);
  each_sample<T>(c, in, out, [&](index_t i, std::size_t bin) {
    sums[bin] += weights[i];
    magnitudes[bin] += std::fabs(weights[i]);
    terms[bin] += 1;
  });
  allowed.resize(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    out.at<double>(slot::sums)[b] = static_cast<double>(sums[b]);
    allowed[b] = sum_tolerance<double>(terms[b], magnitudes[b]);
  }
}

}  // namespace

void compute_histogram(check_case const& c, placed in, placed out, tolerances& allowed) {
  visit_item_type(c.type, [&]<class T>(std::type_identity<T>) {
    if (c.what == task::weighted_histogram) return add_weights<T>(c, in, out, allowed);
    if (c.what == task::sparse_histogram) return list_full_bins<T>(c, in, out);
    count_samples<T>(c, in, out);
  });
}

}  // namespace libscan::apps
