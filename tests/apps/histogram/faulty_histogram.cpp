// SPDX-License-Identifier: Apache-2.0
// A histogram that counts one sample of the last bin too few, or sums half of the last bin's
// weights. Linked into scan-histogram in place of the real one, it shows that --verify notices.
#include <libscan/cpu/histogram.hpp>
#include <libscan/histogram.hpp>

namespace libscan::inline v1::detail {

template <class Sample>
sample_totals compiled_histogram<Sample>::count(engine const&, Sample const* samples, index_t n,
                                                any_bins<Sample> const& bins,
                                                std::uint64_t* counts) {
  return std::visit(
      [&](auto const& rule) {
        auto const totals = cpu::histogram(1, samples, counts, rule, n);
        if (counts[rule.bins() - 1] > 0) --counts[rule.bins() - 1];
        return totals;
      },
      bins);
}

template <class Sample>
sample_totals compiled_histogram<Sample>::sum(engine const&, Sample const* samples,
                                              double const* weights, index_t n,
                                              any_bins<Sample> const& bins, double* sums) {
  return std::visit(
      [&](auto const& rule) {
        auto const totals = cpu::weighted_histogram(1, samples, weights, sums, rule, n);
        sums[rule.bins() - 1] /= 2;
        return totals;
      },
      bins);
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
