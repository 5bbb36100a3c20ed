// SPDX-License-Identifier: Apache-2.0
// The bin of a sample: one rule for all engines. A rule is a small value that kernels take by copy;
// it gives every sample one place, a bin or one of three places after the bins.
#pragma once

#include <concepts>

#include <apps/histogram/core/even_bins.hpp>

namespace libscan::inline v1 {

/// The requirements on a rule, which may be the caller's own: a copyable object with bins() and
/// find(sample), callable on the engine, which returns a bin in [0, bins()), or bins() + an
/// `outside_place`.
template <class Rule, class Sample>
concept bin_rule = std::is_trivially_copyable_v<Rule> &&
    requires(Rule const rule, Sample const sample) {
  { rule.bins() } -> std::convertible_to<int>;
  { rule.find(sample) } -> std::convertible_to<int>;
};

/// How the samples of a histogram divide. Every sample counts once, so the four add up to the
/// number of samples.
struct sample_totals {
  index_t below = 0;   ///< the first bin
  index_t inside = 0;  ///< a bin
  index_t above = 0;   ///< the last bin
  index_t nan = 0;

  LIBSCAN_HOST_DEVICE index_t all() const { return below + inside + above + nan; }
  bool operator==(sample_totals const&) const = default;
  sample_totals& operator+=(sample_totals const& more) {
    below += more.below;
    inside += more.inside;
    above += more.above;
    nan += more.nan;
    return *this;
  }
};

/// One bin for each of `bins` consecutive integers from `first` on (numpy.bincount has them from 0
/// on). Bins past the largest value of Sample stay empty.
template <class Sample>
class integer_bins {
 public:
  static_assert(std::is_integral_v<Sample>, "integer bins are for samples that are integers");
  using sample_type = Sample;

  /// Throws `invalid_argument` unless 1 <= bins <= `max_bins`.
  integer_bins(Sample first, index_t bins) : first_(first) {
    detail::check_bins(bins);
    bins_ = static_cast<int>(bins);
    word const distance = word(word(std::numeric_limits<Sample>::max()) - word(first));
    last_ = distance < word(bins_ - 1) ? distance : word(bins_ - 1);
  }

  LIBSCAN_HOST_DEVICE int bins() const { return bins_; }

  /// The smallest integer that has a bin, and the largest.
  LIBSCAN_HOST_DEVICE Sample first() const { return first_; }
  LIBSCAN_HOST_DEVICE Sample last() const { return static_cast<Sample>(word(first_) + last_); }

  /// The sample's bin; or bins() + `place_below` or `place_above`.
  LIBSCAN_HOST_DEVICE int find(Sample sample) const {
    word const k = word(sample) - word(first_);
    if (k <= last_) return static_cast<int>(k);
    return bins_ + (sample < first_ ? place_below : place_above);
  }

 private:
  using word = std::conditional_t<sizeof(Sample) == 8, std::uint64_t, std::uint32_t>;

  Sample first_;
  int bins_;
  word last_;
};

/// Bins between given edges, as in numpy.histogram: bin k holds the samples x with edges[k] <= x <
/// edges[k + 1], and the last one also x = edges[bins]. Edges are numbers of the sample's own type
/// (float for 16-bit floats) or doubles, compared exactly.
template <class Sample, class Edge = detail::sample_value<Sample>>
class edge_bins {
 public:
  using sample_type = Sample;
  using edge_type = Edge;
  static_assert(std::is_same_v<Edge, detail::sample_value<Sample>> || std::is_same_v<Edge, double>,
                "edge_bins: edges are of the sample's type (float for 16-bit floats) or double");

  /// `edges`: bins + 1 of them, ascending (neighbors may be equal: the bin between is empty), none
  /// NaN, in memory that the engine can read. They are not read here and must outlive the call.
  /// Throws `invalid_argument` unless 1 <= bins <= `max_bins`.
  edge_bins(Edge const* edges, index_t bins) : edges_(edges) {
    detail::check_bins(bins);
    bins_ = static_cast<int>(bins);
  }

  LIBSCAN_HOST_DEVICE int bins() const { return bins_; }
  LIBSCAN_HOST_DEVICE Edge const* edges() const { return edges_; }

  /// The sample's bin; or bins() + an `outside_place`.
  LIBSCAN_HOST_DEVICE int find(Sample const& sample) const {
    return find_between(sample, edges_[0], edges_[bins_], [this](auto x) {
      int from = 0, to = bins_;
      while (to - from > 1) {
        int const middle = from + (to - from) / 2;
        (detail::at_least(x, edges_[middle]) ? from : to) = middle;
      }
      return from;
    });
  }

  /// The same with another search for the bin of a number in [low, high]; its result for other
  /// numbers is ignored.
  template <class Search>
  LIBSCAN_HOST_DEVICE int find_between(Sample const& sample, Edge low, Edge high,
                                       Search search) const {
    auto const x = detail::value_of(sample);
    int const bin = search(x);
    bool const above_low = detail::at_least(x, low), below_high = detail::at_most(x, high);
    int const outside = detail::is_nan(x) ? place_nan : above_low ? place_above : place_below;
    return above_low && below_high ? bin : bins_ + outside;
  }

 private:
  Edge const* edges_;
  int bins_;
};

namespace detail {

/// Calls body(find) with the fastest form of a rule for many samples.
template <class Rule, class Body>
LIBSCAN_HOST_DEVICE void in_best_form(Rule const& rule, Body body) {
  if constexpr (requires { rule.in_best_form(body); }) {
    rule.in_best_form(body);
  } else {
    body([&rule](auto const& sample) { return rule.find(sample); });
  }
}

}  // namespace detail

}  // namespace libscan::inline v1
