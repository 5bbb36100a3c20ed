// SPDX-License-Identifier: Apache-2.0
// The checks of the histogram's host API.
#include <libscan/histogram.hpp>

#include <libscan/core/overlap.hpp>

#include <string>

#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {

void check_bin_capacity(char const* call, std::size_t capacity, int bins) {
  check_bins(bins);
  if (capacity >= static_cast<std::size_t>(bins)) return;
  throw invalid_argument(std::string(call) + ": " + std::to_string(bins) +
                         " bins, but there is space for only " + std::to_string(capacity) +
                         " results");
}

void check_no_overlap(char const* call, std::span<std::byte const> results, char const* what,
                      std::span<std::byte const> read) {
  if (!memory_span(results).overlaps(read)) return;
  throw invalid_argument(std::string(call) + ": the results overlap " + what +
                         "; expected memory separate from it");
}

void check_weights(std::size_t weights, std::size_t samples) {
  if (weights == samples) return;
  throw invalid_argument("weighted_histogram: " + std::to_string(weights) + " weights of " +
                         std::to_string(samples) + " samples; expected one for each");
}

template <class Edge>
void check_edges(Edge const* edges, int bins) {
  for (int k = 0; k < bins; ++k) {
    if (edges[k] <= edges[k + 1]) continue;
    throw invalid_argument("histogram: edges " + std::to_string(k) + " and " +
                           std::to_string(k + 1) + " are " + text_of(edges[k]) + " and " +
                           text_of(edges[k + 1]) + "; expected numbers that ascend");
  }
}
template void check_edges(double const*, int);
template void check_edges(std::int64_t const*, int);
template void check_edges(std::uint64_t const*, int);

template <class Count>
void check_counts(Count const* counts, int bins, std::uint64_t max_count) {
  for (int b = 0; b < bins; ++b) {
    if (counts[b] <= max_count) continue;
    throw invalid_argument("histogram: bin " + std::to_string(b) + " has " +
                           std::to_string(counts[b]) + " samples; expected at most " +
                           std::to_string(max_count) + ", or counters of 64 bits");
  }
}
template void check_counts(std::uint32_t const*, int, std::uint64_t);
template void check_counts(std::uint64_t const*, int, std::uint64_t);

}  // namespace libscan::inline v1::detail
