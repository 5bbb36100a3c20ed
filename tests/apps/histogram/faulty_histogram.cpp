// SPDX-License-Identifier: Apache-2.0
// A histogram that counts one sample of the last bin too few, or sums half of the last bin's
// weights. Linked into scan-histogram in place of the real one, it shows that --verify notices.
#include <algorithm>
#include <variant>

#include <libscan/histogram.hpp>

namespace libscan::inline v1::detail {

namespace {

/// Adds weight(i) to the bin of each sample i, in a plain loop; fault(sum) changes the last bin's.
template <class Sample, class Number, class Weight, class Fault>
sample_totals add_up(Sample const* samples, index_t n, any_bins<Sample> const& bins, Number* sums,
                     Weight weight, Fault fault) {
  return std::visit(
      [&](auto const& rule) {
        int const places = rule.bins();
        std::fill_n(sums, places, Number{});
        sample_totals totals;
        for (index_t i = 0; i < n; ++i) {
          int const place = rule.find(samples[i]);
          if (place < places) {
            sums[place] += weight(i);
            ++totals.inside;
          } else {
            int const outside = place - places;
            ++(outside == place_below   ? totals.below
               : outside == place_above ? totals.above
                                        : totals.nan);
          }
        }
        fault(sums[places - 1]);
        return totals;
      },
      bins);
}

}  // namespace

template <class Sample>
sample_totals compiled_histogram<Sample>::count(engine const&, Sample const* samples, index_t n,
                                                any_bins<Sample> const& bins,
                                                std::uint64_t* counts) {
  return add_up(
      samples, n, bins, counts, [](index_t) { return 1U; },
      [](std::uint64_t& last) { last -= last > 0; });
}

template <class Sample>
sample_totals compiled_histogram<Sample>::sum(engine const&, Sample const* samples,
                                              double const* weights, index_t n,
                                              any_bins<Sample> const& bins, double* sums) {
  return add_up(
      samples, n, bins, sums, [weights](index_t i) { return weights[i]; },
      [](double& last) { last /= 2; });
}

template struct compiled_histogram<std::int8_t>;
template struct compiled_histogram<std::uint8_t>;
template struct compiled_histogram<std::int16_t>;
template struct compiled_histogram<std::uint16_t>;
template struct compiled_histogram<std::int32_t>;
template struct compiled_histogram<std::uint32_t>;
template struct compiled_histogram<std::int64_t>;
template struct compiled_histogram<std::uint64_t>;
template struct compiled_histogram<float>;
template struct compiled_histogram<double>;

}  // namespace libscan::inline v1::detail
