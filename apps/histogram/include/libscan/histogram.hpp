// SPDX-License-Identifier: Apache-2.0
// The host API of the histogram: the number of samples in each bin, on any engine, by one
// rule that is exact at every edge. Needs no nvcc; link libscan::histogram.
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <libscan/bins.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/libscan.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1 {

struct device_queue;

namespace detail {

/// The rules that the host API is compiled for with samples of one type: edges are compared in
/// double, unless they are 64-bit integers.
template <class Sample>
struct compiled_rules {
  using type = std::variant<even_bins<Sample>, edge_bins<Sample, double>>;
};
template <std::integral Sample>
struct compiled_rules<Sample> {
  using type = std::variant<integer_bins<Sample>, even_bins<Sample>, edge_bins<Sample, double>>;
};
template <std::integral Sample>
requires(sizeof(Sample) == 8) struct compiled_rules<Sample> {
  using type = std::variant<integer_bins<Sample>, even_bins<Sample>, edge_bins<Sample, double>,
                            edge_bins<Sample>>;
};
template <class Sample>
using any_bins = typename compiled_rules<Sample>::type;

/// What a histogram of device memory writes.
enum class histogram_kind : std::uint8_t { counted, weighted, sparse };

/// A histogram of n samples of device memory, or of *d_n at most n if that is not null. `sums`
/// receives sums of weights; if it is null, `counts` receives counts. All pointers, also those to
/// the edges of a rule, are to device memory.
template <class Sample>
struct histogram_call {
  Sample const* samples;
  index_t n;
  index_t const* d_n;
  any_bins<Sample> bins;
  std::uint64_t* counts;
  double const* weights;
  double* sums;
  sample_totals* d_totals;
  index_t* full = nullptr;    ///< of sparse histograms: the bins that are not empty
  index_t* d_full = nullptr;  ///< and their number
};

/// The types of a histogram's arrays in device memory. Those that kernels do not read or write are
/// converted; their addresses stand in `histogram_call` all the same.
struct histogram_types {
  input_type counts = input_type::u64;
  input_type bins = input_type::i64;
  input_type weights = input_type::f64;
  input_type edges = input_type::f64;

  bool operator==(histogram_types const&) const = default;
};

/// The host API for samples of one type; compiled for all types of `sort_key`. All pointers,
/// including those to the edges of a rule, are to host memory, and checked; except in calls on
/// device memory.
template <class Sample>
struct compiled_histogram {
  static sample_totals count(engine const& on, Sample const* samples, index_t n,
                             any_bins<Sample> const& bins, std::uint32_t* counts);
  static sample_totals count(engine const& on, Sample const* samples, index_t n,
                             any_bins<Sample> const& bins, std::uint64_t* counts);
  static sample_totals sum(engine const& on, Sample const* samples, double const* weights,
                           index_t n, any_bins<Sample> const& bins, double* sums);

  /// A histogram of device memory, and the workspace that it needs at most.
  static void enqueue(device_queue const& queue, histogram_call<Sample> const& call,
                      histogram_types const& types = {});
  static std::size_t enqueued_bytes(engine const& on, index_t n, int bins, histogram_kind kind,
                                    histogram_types const& types = {});
};

/// Throws `invalid_argument` unless there is space for `bins` results.
void check_bin_capacity(char const* call, std::size_t capacity, int bins);

/// Throws `invalid_argument` if results would overwrite what is read.
void check_no_overlap(char const* call, std::span<std::byte const> results, char const* what,
                      std::span<std::byte const> read);

/// The same for the edges of a rule, if it has any.
template <class Rule>
void check_no_edge_overlap(char const* call, std::span<std::byte const> results, Rule const& rule) {
  if constexpr (requires { rule.edges(); }) {
    std::span const edges(rule.edges(), static_cast<std::size_t>(rule.bins()) + 1);
    detail::check_no_overlap(call, results, "the edges", std::as_bytes(edges));
  }
}

/// Throws `invalid_argument` unless there are as many weights as samples.
void check_weights(std::size_t weights, std::size_t samples);

/// Throws `invalid_argument` if an edge is NaN or smaller than the one before. For doubles and
/// 64-bit integers.
template <class Edge>
void check_edges(Edge const* edges, int bins);

/// Throws `invalid_argument` if a bin has more than `max_count` samples. For counts of 32 and 64
/// bits.
template <class Count>
void check_counts(Count const* counts, int bins, std::uint64_t max_count);

/// call(bins) with a rule as `any_bins`.
template <class Rule, class Call>
sample_totals with_compiled_rule(Rule const& rule, Call call) {
  static_assert(
      std::is_constructible_v<any_bins<typename Rule::sample_type>, Rule const&>,
      "histogram.hpp is compiled for integer_bins, even_bins and edge_bins. For a rule of "
      "your own include libscan/cpu/histogram.hpp, or in CUDA code libscan/histogram.cuh.");
  return call(any_bins<typename Rule::sample_type>(rule));
}
template <class Sample, class Edge, class Call>
sample_totals with_compiled_rule(edge_bins<Sample, Edge> const& rule, Call call) {
  if constexpr (sizeof(Edge) == 8) {
    detail::check_edges(rule.edges(), rule.bins());
    return call(any_bins<Sample>(rule));
  } else {
    std::vector<double> const edges(rule.edges(), rule.edges() + rule.bins() + 1);
    return detail::with_compiled_rule(edge_bins<Sample, double>(edges.data(), rule.bins()), call);
  }
}

/// The samples in the type of a rule.
template <class Rule, class Samples>
auto rule_samples(Samples const& samples) {
  using sample = typename Rule::sample_type;
  auto const items = detail::as_items(samples);
  using item = typename decltype(items)::value_type;
  static_assert(
      requires { requires std::is_same_v<typename sort_key<sample>::type, sample>; },
      "histogram.hpp is compiled for bins of std::int8_t to std::uint64_t, float, double, float16 "
      "and bfloat16");
  static_assert(
      requires { requires std::is_same_v<typename sort_key<item>::type, sample>; },
      "histogram: the rule is for samples of another type");
  return std::span<sample const>(reinterpret_cast<sample const*>(items.data()), items.size());
}

}  // namespace detail

/// Counts the samples of each bin of `rule` into the front of `counts`. Returns how many samples
/// are below the bins, inside, above, and NaN; the four add up to the number of samples:
///
///   auto totals = histogram(engine::best(), prices, counts, even_bins<float>(0, 100, 50));
///
/// Types: samples and counts are anything that std::span can view in host memory. Samples: integers
/// of 8 to 64 bits, float, double, `float16`, `bfloat16`; bools are std::uint8_t, of 0 and 1. Rule:
/// `integer_bins`, `even_bins`, or `edge_bins` with edges in host memory (types: bins.hpp).
/// Counts: integers of 32 or 64 bits; those after the last bin are not touched.
/// Determinism: the result is the same on every engine and for any number of threads.
/// Memory: reads the samples once. On the CPU 4 bytes per bin and thread (1 with many bins). On a
/// device the samples and `histogram_workspace_bytes`; on the host then 8 bytes per bin if counts
/// have 32 bits.
/// Throws: `invalid_argument` if `counts` is shorter than the bins or overlaps the samples or
/// edges, edges do not ascend, or a bin has more samples than a counter holds (counts are then
/// unspecified); `device_error`, `engine_unavailable` or std::bad_alloc if a device or memory
/// fails.
template <host_items Samples, class Rule, host_output Counts>
sample_totals histogram(engine const& on, Samples const& samples, Counts&& counts,
                        Rule const& rule) {
  using sample = typename Rule::sample_type;
  auto const in = detail::rule_samples<Rule>(samples);
  std::span const to{static_cast<Counts&&>(counts)};
  using count = typename decltype(to)::value_type;
  static_assert(std::is_integral_v<count> && (sizeof(count) == 4 || sizeof(count) == 8),
                "histogram: counts are integers of 32 or 64 bits");
  detail::check_bin_capacity("histogram", to.size(), rule.bins());
  auto const results = std::as_bytes(to.first(static_cast<std::size_t>(rule.bins())));
  detail::check_no_overlap("histogram", results, "the samples", std::as_bytes(in));
  detail::check_no_edge_overlap("histogram", results, rule);
  // Signed counters are filled as unsigned ones of their size.
  using filled = std::conditional_t<sizeof(count) == 4, std::uint32_t, std::uint64_t>;
  auto* const counters = reinterpret_cast<filled*>(to.data());
  sample_totals totals;
  detail::across_types([&] {
    totals = detail::with_compiled_rule(rule, [&](detail::any_bins<sample> const& bins) {
      return detail::compiled_histogram<sample>::count(
          on, in.data(), static_cast<index_t>(in.size()), bins, counters);
    });
    constexpr auto max_count = static_cast<std::uint64_t>(std::numeric_limits<count>::max());
    if (in.size() > max_count) detail::check_counts(counters, rule.bins(), max_count);
  });
  return totals;
}

/// What `sparse_histogram` returns.
struct sparse_result {
  index_t filled;        ///< number of bins that are not empty
  sample_totals totals;  ///< as of `histogram`
};

/// Writes the bins of `rule` that are not empty, ascending, to the front of `bins`, the number of
/// samples of each to the front of `counts`, and returns their number. Otherwise as `histogram`.
///
/// Types: bins are integers of any size that can hold the number of each bin. Both outputs need
/// space for the bins that are not empty, at most as many as samples.
/// Memory: 8 bytes per bin of the rule.
/// Throws: also `invalid_argument` if the bins' type is too small or an output is too short, or one
/// overlaps the other, samples or edges; before anything is written.
template <host_items Samples, class Rule, host_output Bins, host_output Counts>
sparse_result sparse_histogram(engine const& on, Samples const& samples, Bins&& bins,
                               Counts&& counts, Rule const& rule) {
  std::span const places{static_cast<Bins&&>(bins)};
  std::span const to{static_cast<Counts&&>(counts)};
  using place = typename decltype(places)::value_type;
  using count = typename decltype(to)::value_type;
  static_assert(std::is_integral_v<place> && std::is_integral_v<count>,
                "sparse_histogram: bins and counts are integers");
  if (static_cast<std::uint64_t>(rule.bins()) - 1 >
      static_cast<std::uint64_t>(std::numeric_limits<place>::max())) {
    throw invalid_argument("sparse_histogram: " + std::to_string(rule.bins()) +
                           " bins; expected a type of bins that can hold their numbers");
  }
  detail::check_no_overlap("sparse_histogram", std::as_bytes(to), "the bins",
                           std::as_bytes(places));
  for (auto const results : {std::as_bytes(places), std::as_bytes(to)}) {
    detail::check_no_overlap("sparse_histogram", results, "the samples",
                             std::as_bytes(detail::rule_samples<Rule>(samples)));
    detail::check_no_edge_overlap("sparse_histogram", results, rule);
  }
  std::vector<std::uint64_t> all(static_cast<std::size_t>(rule.bins()));
  sparse_result result{0, libscan::histogram(on, samples, all, rule)};
  for (std::uint64_t const found : all) result.filled += found != 0 ? 1 : 0;
  std::size_t const capacity = places.size() < to.size() ? places.size() : to.size();
  if (capacity < static_cast<std::size_t>(result.filled)) {
    throw invalid_argument("sparse_histogram: " + std::to_string(result.filled) +
                           " bins are not empty; expected space for as many in bins and counts");
  }
  detail::check_counts(all.data(), rule.bins(),
                       static_cast<std::uint64_t>(std::numeric_limits<count>::max()));
  std::size_t next = 0;
  for (std::size_t bin = 0; bin < all.size(); ++bin) {
    if (all[bin] == 0) continue;
    places[next] = static_cast<place>(bin);
    to[next++] = static_cast<count>(all[bin]);
  }
  return result;
}

/// Sums the weights of the samples of each bin in double into the front of `sums`, 0 for empty
/// bins, and returns how many samples are where, as `histogram`.
///
/// Types: weights are float or double, one per sample; sums are double.
/// Determinism: bitwise the same in every run, on the CPU for any number of threads; engines may
/// differ in rounding, since they add in different orders.
/// Throws: as `histogram`; also `invalid_argument` if there are more or fewer weights than samples.
template <host_items Samples, host_items Weights, class Rule, host_output Sums>
sample_totals weighted_histogram(engine const& on, Samples const& samples, Weights const& weights,
                                 Sums&& sums, Rule const& rule) {
  using sample = typename Rule::sample_type;
  auto const in = detail::rule_samples<Rule>(samples);
  auto const with = detail::as_items(weights);
  std::span const to{static_cast<Sums&&>(sums)};
  static_assert(std::is_same_v<typename decltype(to)::value_type, double>,
                "weighted_histogram: sums are double");
  static_assert(std::is_floating_point_v<typename decltype(with)::value_type>,
                "weighted_histogram: weights are float or double");
  detail::check_bin_capacity("weighted_histogram", to.size(), rule.bins());
  auto const results = std::as_bytes(to.first(static_cast<std::size_t>(rule.bins())));
  detail::check_no_overlap("weighted_histogram", results, "the samples", std::as_bytes(in));
  detail::check_no_overlap("weighted_histogram", results, "the weights", std::as_bytes(with));
  detail::check_no_edge_overlap("weighted_histogram", results, rule);
  detail::check_weights(with.size(), in.size());
  std::vector<double> wide;
  double const* from;
  if constexpr (std::is_same_v<typename decltype(with)::value_type, double>) {
    from = with.data();
  } else {
    wide.assign(with.begin(), with.end());
    from = wide.data();
  }
  sample_totals totals;
  detail::across_types([&] {
    totals = detail::with_compiled_rule(rule, [&](detail::any_bins<sample> const& bins) {
      return detail::compiled_histogram<sample>::sum(
          on, in.data(), from, static_cast<index_t>(in.size()), bins, to.data());
    });
  });
  return totals;
}

}  // namespace libscan::inline v1
