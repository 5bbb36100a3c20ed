// SPDX-License-Identifier: Apache-2.0
// Histograms of scan-check on a device.
#include <apps/check/device_case.cuh>
#include <libscan/histogram.cuh>
#include <libscan/sorted_histogram.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Blocks with space for few bins, so that a few hundred are counted in 16 bits, or in buckets.
struct cramped : histogram_tuning {
  static constexpr std::size_t shared_bytes = 1024;
  static constexpr int bucket_bits = 7;
};

namespace {

/// `histogram`, by the tuning of the case.
template <class T, class Rule>
void count_by(device_case const& one, Rule const& rule) {
  with_tuning<cramped>(one.c, [&]<class Tuning>(std::type_identity<Tuning>) {
    using tuning = std::conditional_t<std::is_void_v<Tuning>, histogram_tuning, Tuning>;
    histogram<tuning>(one.ws, one.items<T>(), one.out.at<std::uint64_t>(slot::counts), rule,
                      one.count(), one.out.at<sample_totals>(slot::count));
  });
}

void count_integers(device_case const& one) {
  check_case const& c = one.c;
  if (c.type == dtype::u8) {
    return count_by<std::uint8_t>(one, integer_bins(first_bin<std::uint8_t>(c), c.bins));
  }
  integer_bins const rule(first_bin<std::int32_t>(c), c.bins);
  auto const* const samples = one.items<std::int32_t>();
  auto* const counts = one.out.at<std::uint64_t>(slot::counts);
  auto* const totals = one.out.at<sample_totals>(slot::count);
  if (c.what == task::sorted_histogram) {
    sorted_histogram(one.ws, samples, counts, rule, one.count(), totals);
  } else if (c.what == task::counted_histogram) {
    counted_histogram(one.ws, samples, one.count(), rule, counts, totals);
  } else {
    count_by<std::int32_t>(one, rule);
  }
}

}  // namespace

void histogram_on_device(device_case const& one) {
  check_case const& c = one.c;
  auto const [lo, hi] = range_of(c);
  switch (c.what) {
    case task::even_histogram:
      return count_by<float>(one, even_bins<float>(lo, hi, c.bins));
    case task::edge_histogram:
      return count_by<float>(one, edge_bins<float>(one.in.at<float>(slot::edges), c.bins));
    case task::weighted_histogram:
      return weighted_histogram(one.ws, one.items<float>(), one.in.at<double>(slot::values),
                                one.out.at<double>(slot::sums), even_bins<float>(lo, hi, c.bins),
                                one.count(), one.out.at<sample_totals>(slot::count));
    default:
      return count_integers(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
