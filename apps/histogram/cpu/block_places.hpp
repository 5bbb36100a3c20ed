// SPDX-License-Identifier: Apache-2.0
// The places of a block of samples on a CPU: in vector registers, if there is code for the rule
// (vector_places.hpp); between given edges, by parallel searches; otherwise one by one.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include <apps/histogram/cpu/vector_places.hpp>
#include <libscan/bins.hpp>
#include <libscan/cpu/fixed_width.hpp>

namespace libscan::inline v1::cpu::detail {

/// The number of parallel searches: no branch depends on the samples, and the searches wait for
/// memory together.
inline constexpr int searches_at_once = 16;

/// Sets places[k] to the place of samples[k] for `searches_at_once` samples.
template <class Sample, class Edge>
void search_edges(edge_bins<Sample, Edge> const& rule, Sample const* samples, int* places) {
  Edge const* const edges = rule.edges();
  int const bins = rule.bins();
  int from[searches_at_once] = {};  // the sample's bin, if any, is among `left` bins from here
  for (int left = bins; left > 1; left -= left / 2) {
    for (int j = 0; j < searches_at_once; ++j) {
      int const middle = from[j] + left / 2;
      bool const past =
          libscan::detail::at_least(libscan::detail::value_of(samples[j]), edges[middle]);
      from[j] = past ? middle : from[j];
    }
  }
  for (int j = 0; j < searches_at_once; ++j) {
    places[j] = rule.find_between(samples[j], edges[0], edges[bins], [&](auto) { return from[j]; });
  }
}

/// Finds the places of whole blocks by `rule`; `find` is its fastest form for one sample.
template <class Sample, class Rule, class Find>
class block_places {
 public:
  /// Whether a block may be checked to be all `inside`: then a sample's distance from the first bin
  /// is its place, which costs nothing to compute.
  static constexpr bool has_distances = has_inside_check<Sample, Rule>;

  block_places(Rule const& rule, Find find)
      : rule_(rule),
        find_(find),
        vector_rule_(detail::fixed_width_rule(rule)),
        vectors_(detail::best_place_finder<Sample>(rule)) {
    if constexpr (has_distances) {
      check_ = std::get<inside_code<Sample, Rule>>(best_inside_checks());
    }
  }

  bool inside(Sample const* samples) const requires has_distances {
    return check_(vector_rule_, detail::as_fixed_width(samples));
  }

  /// A function of a sample with its own copy of the rule: no increment of a counter can alias it.
  auto distances() const requires has_distances {
    return [first = static_cast<std::uint64_t>(rule_.first())](Sample sample) {
      return static_cast<index_t>(static_cast<std::uint64_t>(sample) - first);
    };
  }

  /// Sets places[k] to the place of samples[k] for k < `histogram_block`.
  void operator()(Sample const* samples, int* places) const {
    if (vectors_ != nullptr) {
      vectors_(vector_rule_, detail::as_fixed_width(samples), places);
    } else if constexpr (requires { detail::search_edges(rule_, samples, places); }) {
      for (int k = 0; k < histogram_block; k += searches_at_once) {
        detail::search_edges(rule_, samples + k, places + k);
      }
    } else {
      for (int k = 0; k < histogram_block; ++k) places[k] = find_(samples[k]);
    }
  }

 private:
  Rule const& rule_;
  Find find_;
  decltype(fixed_width_rule(std::declval<Rule const&>())) vector_rule_;
  place_code<Sample, Rule> vectors_;
  inside_code<Sample, Rule> check_ = nullptr;
};

}  // namespace libscan::inline v1::cpu::detail
