// SPDX-License-Identifier: Apache-2.0
// Histograms of device memory without nvcc: asynchronous on a stream, nothing is copied. Like
// device_calls.hpp; link libscan::histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
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

/// A rule as compiled code takes it. Edges of other types than it reads stand there by their
/// address.
template <class Sample, class Rule>
auto device_rule(Rule const& rule) {
  if constexpr (requires { rule.edges(); }) {
    if constexpr (sizeof(*rule.edges()) != sizeof(double)) {
      return edge_bins<Sample, double>(reinterpret_cast<double const*>(rule.edges()), rule.bins());
    } else {
      return rule;
    }
  } else {
    return rule;
  }
}

/// The type of a rule's edges, if it has some that compiled code does not read.
template <class Rule>
constexpr input_type edges_type() {
  if constexpr (requires { typename Rule::edge_type; }) {
    using edge = typename Rule::edge_type;
    if constexpr (sizeof(edge) != sizeof(double)) return input_type_of<edge>::value;
  }
  return input_type::f64;
}

/// The type of counts or bins. Signed integers of 64 bits are filled as unsigned ones.
template <class Count>
constexpr input_type counts_type(input_type of_64_bits) {
  static_assert(std::is_integral_v<Count> && !std::is_same_v<Count, bool>,
                "histogram: counts and bins are integers");
  if constexpr (sizeof(Count) == sizeof(index_t)) return of_64_bits;
  return input_type_of<Count>::value;
}

/// Throws `invalid_argument` unless counts of such a type hold any number up to `most`.
template <class Count>
void check_count_type(char const* what, index_t most) {
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<Count>::max());
  if (most < 0 || static_cast<std::uint64_t>(most) <= max) return;
  throw invalid_argument(std::string("histogram: ") + what + " of " +
                         std::to_string(8 * sizeof(Count)) + " bits for numbers up to " +
                         std::to_string(most) + "; expected more bits");
}

/// A call for a rule; compiled for the samples of the rule.
template <class Rule, class Sample>
histogram_call<typename samples_of<Rule>::type> histogram_of(device_span<Sample> samples,
                                                             Rule const& rule,
                                                             sample_totals* d_totals) {
  using sample = typename samples_of<Rule>::type;
  using compiled_rule = decltype(detail::device_rule<sample>(rule));
  static_assert(std::is_constructible_v<any_bins<sample>, compiled_rule const&>,
                "histogram_device_calls.hpp is compiled for integer_bins, even_bins and edge_bins. "
                "For other rules include libscan/histogram.cuh in CUDA code.");
  static_assert(
      requires {
        requires std::is_same_v<typename sort_key<std::remove_const_t<Sample>>::type, sample>;
      },
      "histogram: the rule is for samples of another type");
  return {reinterpret_cast<sample const*>(samples.data),
          samples.size,
          samples.d_size,
          any_bins<sample>(detail::device_rule<sample>(rule)),
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
/// Types: samples and rules are those of histogram.hpp; edges are in device memory, and are not
/// checked. Counts are integers of 32 or 64 bits. With samples.d_size the number of samples is read
/// on the device. Kernels count in 64 bits and read edges of 64 bits; others are converted in the
/// workspace.
/// Aliasing: nothing may overlap counts and totals.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_histogram_workspace_bytes`.
/// Determinism: counts are the same on every device, sums of weights bitwise the same in every run.
/// Throws: `invalid_argument` for an engine that runs no kernels, null results, more samples than a
/// counter holds, or a workspace that is too small; `device_error`, std::bad_alloc, and exceptions
/// of memory functions.
template <class Sample, class Count, class Rule>
void histogram(device_queue const& queue, device_span<Sample> samples, Count* counts,
               Rule const& rule, sample_totals* d_totals) {
  static_assert(sizeof(Count) == 4 || sizeof(Count) == 8,
                "histogram: counts are integers of 32 or 64 bits");
  detail::check_count_type<Count>("counts", samples.size);
  auto call = detail::histogram_of(samples, rule, d_totals);
  call.counts = reinterpret_cast<std::uint64_t*>(counts);
  detail::compiled_histogram<typename detail::samples_of<Rule>::type>::enqueue(
      queue, call,
      {.counts = detail::counts_type<Count>(detail::input_type::u64),
       .edges = detail::edges_type<Rule>()});
}

/// sums[b] = the sum of the weights of the samples in bin b, in double; one weight for each sample,
/// float or double.
/// Otherwise as `histogram`.
/// Workspace: `device_weighted_histogram_workspace_bytes`.
template <class Sample, class Weight, class Rule>
void weighted_histogram(device_queue const& queue, device_span<Sample> samples,
                        Weight const* weights, double* sums, Rule const& rule,
                        sample_totals* d_totals) {
  static_assert(std::is_floating_point_v<Weight> && sizeof(Weight) <= sizeof(double),
                "weighted_histogram: weights are float or double");
  auto call = detail::histogram_of(samples, rule, d_totals);
  call.weights = reinterpret_cast<double const*>(weights);
  call.sums = sums;
  if (sums == nullptr) throw invalid_argument("weighted_histogram: sums are null");
  detail::compiled_histogram<typename detail::samples_of<Rule>::type>::enqueue(
      queue, call,
      {.weights = detail::input_type_of<Weight>::value, .edges = detail::edges_type<Rule>()});
}

/// Writes the bins of `rule` that are not empty, ascending, to the front of `bins`, the number of
/// samples of each to the front of `counts`, and the number of these bins to *d_filled. Both have
/// space for them: at most as many as samples, or bins of the rule. Both are integers of any size.
/// Otherwise as `histogram`.
/// Workspace: `device_sparse_histogram_workspace_bytes`: 8 bytes per bin of the rule, and more.
template <class Sample, class Bin, class Count, class Rule>
void sparse_histogram(device_queue const& queue, device_span<Sample> samples, Bin* bins,
                      Count* counts, Rule const& rule, index_t* d_filled, sample_totals* d_totals) {
  auto call = detail::histogram_of(samples, rule, d_totals);
  detail::check_count_type<Count>("counts", samples.size);
  detail::check_count_type<Bin>("bins", rule.bins() - 1);
  if (bins == nullptr) throw invalid_argument("sparse_histogram: bins are null");
  call.counts = reinterpret_cast<std::uint64_t*>(counts);
  call.full = reinterpret_cast<index_t*>(bins);
  call.d_full = d_filled;
  detail::compiled_histogram<typename detail::samples_of<Rule>::type>::enqueue(
      queue, call,
      {.counts = detail::counts_type<Count>(detail::input_type::u64),
       .bins = detail::counts_type<Bin>(detail::input_type::i64),
       .edges = detail::edges_type<Rule>()});
}

/// Bytes of workspace that a histogram of up to n samples in `bins` bins needs on `on`, with counts
/// and, if the rule has some, edges of these types. A pure function of its arguments.
template <class Sample, class Count = std::uint64_t, class Edge = double>
std::size_t device_histogram_workspace_bytes(engine const& on, index_t n, int bins) {
  using sample = typename detail::sort_key<Sample>::type;
  return detail::compiled_histogram<sample>::enqueued_bytes(
      on, n, bins, detail::histogram_kind::counted,
      {.counts = detail::counts_type<Count>(detail::input_type::u64),
       .edges = detail::edges_type<edge_bins<sample, Edge>>()});
}

/// The same for sums of weights.
template <class Sample, class Weight = double, class Edge = double>
std::size_t device_weighted_histogram_workspace_bytes(engine const& on, index_t n, int bins) {
  using sample = typename detail::sort_key<Sample>::type;
  return detail::compiled_histogram<sample>::enqueued_bytes(
      on, n, bins, detail::histogram_kind::weighted,
      {.weights = detail::input_type_of<Weight>::value,
       .edges = detail::edges_type<edge_bins<sample, Edge>>()});
}

/// The same for sparse histograms.
template <class Sample, class Bin = index_t, class Count = std::uint64_t, class Edge = double>
std::size_t device_sparse_histogram_workspace_bytes(engine const& on, index_t n, int bins) {
  using sample = typename detail::sort_key<Sample>::type;
  return detail::compiled_histogram<sample>::enqueued_bytes(
      on, n, bins, detail::histogram_kind::sparse,
      {.counts = detail::counts_type<Count>(detail::input_type::u64),
       .bins = detail::counts_type<Bin>(detail::input_type::i64),
       .edges = detail::edges_type<edge_bins<sample, Edge>>()});
}

}  // namespace libscan::inline v1
