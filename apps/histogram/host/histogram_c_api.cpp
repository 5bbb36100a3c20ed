// SPDX-License-Identifier: Apache-2.0
// The histogram of c_api.h in terms of histogram.hpp.
#include <string>
#include <type_traits>

#include <libscan/histogram.hpp>
#include <libscan/host/c_call.hpp>

namespace {

using libscan::invalid_argument;
using libscan::sample_totals;
using libscan::detail::c_status_of;

static_assert(std::is_standard_layout_v<sample_totals> && sizeof(sample_totals) == 32);

/// The rule for samples of type T.
template <class T>
libscan::detail::any_bins<T> rule_of(libscan_bins const& bins) {
  if (bins.edges != nullptr) return libscan::edge_bins<T, double>(bins.edges, bins.count);
  return libscan::even_bins<T>(bins.lo, bins.hi, bins.count);
}

}  // namespace

libscan_status libscan_histogram(libscan_queue const* queue, libscan_items samples,
                                 libscan_bins const* bins, uint64_t* counts, double const* weights,
                                 double* sums, int64_t* d_totals) {
  return c_status_of([&] {
    libscan_bins const& rule = libscan::detail::required(bins, "bins");
    auto const to = libscan::detail::c_queue(queue);
    if ((weights != nullptr) != (sums != nullptr)) {
      throw invalid_argument("libscan_histogram: expected weights and sums, or neither");
    }
    libscan::visit_item_type(libscan::detail::c_type(samples), [&]<class T>(std::type_identity<T>) {
      libscan::detail::compiled_histogram<T>::enqueue(
          to, {static_cast<T const*>(samples.data), samples.n, samples.d_n, rule_of<T>(rule),
               counts, weights, sums, reinterpret_cast<sample_totals*>(d_totals)});
    });
  });
}

libscan_status libscan_sparse_histogram(libscan_queue const* queue, libscan_items samples,
                                        libscan_bins const* bins, int64_t* full, uint64_t* counts,
                                        int64_t* d_full, int64_t* d_totals) {
  return c_status_of([&] {
    libscan_bins const& rule = libscan::detail::required(bins, "bins");
    auto const to = libscan::detail::c_queue(queue);
    libscan::detail::required(full, "full");
    libscan::visit_item_type(libscan::detail::c_type(samples), [&]<class T>(std::type_identity<T>) {
      libscan::detail::compiled_histogram<T>::enqueue(
          to, {static_cast<T const*>(samples.data), samples.n, samples.d_n, rule_of<T>(rule),
               counts, nullptr, nullptr, reinterpret_cast<sample_totals*>(d_totals), full, d_full});
    });
  });
}

libscan_status libscan_histogram_workspace_bytes(libscan_queue const* queue, libscan_items samples,
                                                 libscan_bins const* bins,
                                                 libscan_histogram_kind kind, size_t* bytes) {
  return c_status_of([&] {
    libscan_bins const& rule = libscan::detail::required(bins, "bins");
    auto const to = libscan::detail::c_queue(queue);
    if (static_cast<unsigned>(kind) > LIBSCAN_SPARSE) {
      throw invalid_argument("kind " + std::to_string(kind) + " of histogram: there is none");
    }
    libscan::detail::required(bytes, "bytes") = libscan::visit_item_type(
        libscan::detail::c_type(samples), [&]<class T>(std::type_identity<T>) {
          return libscan::detail::compiled_histogram<T>::enqueued_bytes(
              to.on, samples.n, static_cast<int>(rule.count),
              static_cast<libscan::detail::histogram_kind>(kind));
        });
  });
}
