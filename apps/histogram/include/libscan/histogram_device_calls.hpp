// SPDX-License-Identifier: Apache-2.0
// Histograms of device memory without nvcc: asynchronous on a stream, nothing is copied. Like
// device_calls.hpp; link libscan::histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <libscan/histogram.hpp>
#include <libscan/host/device_queue.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The samples of a rule; any type for what is no rule.
template <class Rule>
struct samples_of {
  using type = float;
};
template <class Rule>
requires requires { typename Rule::sample_type; }
struct samples_of<Rule> {
  using type = typename Rule::sample_type;
};

/// A call for a rule; compiled for the samples of the rule.
template <class Rule, class Sample>
histogram_call<typename samples_of<Rule>::type> histogram_of(device_span<Sample> samples,
                                                             Rule const& rule,
                                                             sample_totals* d_totals) {
  using sample = typename samples_of<Rule>::type;
  static_assert(
      std::is_constructible_v<any_bins<sample>, Rule const&>,
      "histogram_device_calls.hpp is compiled for integer_bins, even_bins, and edge_bins with "
      "edges of double, or of the type of 64-bit samples. For other rules include "
      "libscan/histogram.cuh in CUDA code.");
  static_assert(
      requires {
        requires std::is_same_v<typename sort_key<std::remove_const_t<Sample>>::type, sample>;
      },
      "histogram: the rule is for samples of another type");
  return {reinterpret_cast<sample const*>(samples.data),
          samples.size,
          samples.d_size,
          any_bins<sample>(rule),
          nullptr,
          nullptr,
          nullptr,
          d_totals};
}

}  // namespace detail

/// counts[b] = the number of samples in bin b of `rule`; *d_totals = how many are below the bins,
/// inside, above, and NaN.
///
///   device_queue const queue{engine::cuda(), stream};
///   histogram(queue, device_span{prices, n}, counts, even_bins<float>(0, 100, 50), d_totals);
///
/// Types: samples and rules are those of histogram.hpp; edges are in device memory, of type double,
/// or of the samples' type if that is an integer of 64 bits, and are not checked. Counts have 64
/// bits. With samples.d_size the number of samples is read on the device.
/// Aliasing: nothing may overlap counts and totals.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_histogram_workspace_bytes`.
/// Determinism: counts are the same on every device, sums of weights bitwise the same in every run.
/// Throws: `invalid_argument` for an engine that runs no kernels, null results, or a workspace that
/// is too small; `device_error`, std::bad_alloc, and exceptions of memory functions.
template <class Sample, class Rule>
void histogram(device_queue const& queue, device_span<Sample> samples, std::uint64_t* counts,
               Rule const& rule, sample_totals* d_totals) {
  auto call = detail::histogram_of(samples, rule, d_totals);
  call.counts = counts;
  detail::compiled_histogram<typename detail::samples_of<Rule>::type>::enqueue(queue, call);
}

/// sums[b] = the sum of the weights of the samples in bin b, in double; one weight for each sample.
/// Otherwise as `histogram`.
/// Workspace: `device_weighted_histogram_workspace_bytes`.
template <class Sample, class Rule>
void weighted_histogram(device_queue const& queue, device_span<Sample> samples,
                        double const* weights, double* sums, Rule const& rule,
                        sample_totals* d_totals) {
  auto call = detail::histogram_of(samples, rule, d_totals);
  call.weights = weights;
  call.sums = sums;
  if (sums == nullptr) throw invalid_argument("weighted_histogram: sums are null");
  detail::compiled_histogram<typename detail::samples_of<Rule>::type>::enqueue(queue, call);
}

/// Writes the bins of `rule` that are not empty, ascending, to the front of `bins`, the number of
/// samples of each to the front of `counts`, and the number of these bins to *d_filled. Both have
/// space for them: at most as many as samples, or bins of the rule. Otherwise as `histogram`.
/// Workspace: `device_sparse_histogram_workspace_bytes`: 8 bytes per bin of the rule, and more.
template <class Sample, class Rule>
void sparse_histogram(device_queue const& queue, device_span<Sample> samples, index_t* bins,
                      std::uint64_t* counts, Rule const& rule, index_t* d_filled,
                      sample_totals* d_totals) {
  auto call = detail::histogram_of(samples, rule, d_totals);
  if (bins == nullptr) throw invalid_argument("sparse_histogram: bins are null");
  call.counts = counts;
  call.full = bins;
  call.d_full = d_filled;
  detail::compiled_histogram<typename detail::samples_of<Rule>::type>::enqueue(queue, call);
}

/// Bytes of workspace that a histogram of up to n samples in `bins` bins needs on `on`. A pure
/// function of its arguments.
template <class Sample>
std::size_t device_histogram_workspace_bytes(engine const& on, index_t n, int bins) {
  using sample = typename detail::sort_key<Sample>::type;
  return detail::compiled_histogram<sample>::enqueued_bytes(on, n, bins,
                                                            detail::histogram_kind::counted);
}

/// The same for sums of weights.
template <class Sample>
std::size_t device_weighted_histogram_workspace_bytes(engine const& on, index_t n, int bins) {
  using sample = typename detail::sort_key<Sample>::type;
  return detail::compiled_histogram<sample>::enqueued_bytes(on, n, bins,
                                                            detail::histogram_kind::weighted);
}

/// The same for sparse histograms.
template <class Sample>
std::size_t device_sparse_histogram_workspace_bytes(engine const& on, index_t n, int bins) {
  using sample = typename detail::sort_key<Sample>::type;
  return detail::compiled_histogram<sample>::enqueued_bytes(on, n, bins,
                                                            detail::histogram_kind::sparse);
}

}  // namespace libscan::inline v1
