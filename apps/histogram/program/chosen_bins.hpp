// SPDX-License-Identifier: Apache-2.0
// The bins that result from scan-histogram's arguments and samples: a rule, and the description of
// its bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/histogram/program/chart.hpp>
#include <apps/histogram/program/run_histogram.hpp>
#include <apps/histogram/program/verify.hpp>
#include <libscan/bins.hpp>

namespace libscan::apps {

/// Widens `ends`, the smallest and largest sample that is a number, by more samples; none if there
/// is none.
template <class T>
void extend(std::optional<range_ends<T>>& ends, std::span<T const> samples) {
  for (T const x : samples) {
    if (libscan::detail::is_nan(x)) continue;
    if (!ends) {
      ends = range_ends<T>{x, x};
    } else {
      ends->lo = x < ends->lo ? x : ends->lo;
      ends->hi = x > ends->hi ? x : ends->hi;
    }
  }
}

/// An edge for people: enough digits to distinguish it from edges `width` away.
inline std::string edge_text(double edge, double width, double greatest) {
  constexpr int fewest = 7, all = 17;
  double const digits = std::ceil(std::log10(greatest / width)) + 2;
  char text[32];
  std::snprintf(text, sizeof text, "%.*g",
                digits > fewest ? static_cast<int>(std::min<double>(digits, all)) : fewest, edge);
  return text;
}

/// The edges of a bin, as exact text.
struct bin_bounds {
  std::string lower, upper;
};

/// Even-width bins.
template <class T>
struct chosen_even_bins {
  even_bins<T> rule;
  int bins() const { return rule.bins(); }

  /// The number in `arguments`, over their range or, as in numpy.histogram, over that of the
  /// samples, whose ends are `extent()`.
  template <class Extent>
  static chosen_even_bins of(histogram_arguments const& arguments, Extent extent) {
    auto const ends = arguments.range ? parse_range(*arguments.range) : range_of(extent());
    return {even_bins<T>(ends.lo, ends.hi, arguments.bins.value_or(10))};
  }

  double edge(int k) const { return rule.edge(k); }
  std::string name(int from, int to) const {
    double const lo = edge(0), hi = edge(rule.bins());
    double const width = (hi - lo) / rule.bins();
    double const greatest = std::max(std::fabs(lo), std::fabs(hi));
    return "[" + apps::edge_text(edge(from), width, greatest) + ", " +
           apps::edge_text(edge(to), width, greatest) + (to == rule.bins() ? "]" : ")");
  }
  bin_bounds bounds(int k) const {
    return {apps::number_text(edge(k)), apps::number_text(edge(k + 1))};
  }
  exact_edges edges() const {
    return apps::edges_to_verify(edge(0), edge(rule.bins()), rule.bins());
  }

 private:
  using doubles = libscan::detail::value_line<double>;

  static range_ends<double> range_of(std::optional<range_ends<T>> const& ends) {
    if (!ends) return {0, 1};
    auto lo = static_cast<double>(ends->lo), hi = static_cast<double>(ends->hi);
    if (!std::isfinite(lo) || !std::isfinite(hi) || !std::isfinite(hi - lo)) {
      throw usage_error("the samples reach from " + apps::number_text(ends->lo) + " to " +
                        apps::number_text(ends->hi) + ": --range LO:HI is needed");
    }
    // A 64-bit integer may round to a double inside the range.
    if (static_cast<long double>(ends->lo) < lo) lo = doubles::previous(lo);
    if (static_cast<long double>(ends->hi) > hi) hi = doubles::next(hi);
    if (lo == hi) {
      // As in NumPy; if adding a half is lost in rounding, the next doubles, if they exist.
      constexpr double max_double = std::numeric_limits<double>::max();
      if (lo > -max_double) lo = std::min(lo - 0.5, doubles::previous(lo));
      if (hi < max_double) hi = std::max(hi + 0.5, doubles::next(hi));
    }
    return {lo, hi};
  }
};

/// An integer of 64 bits, with or without a sign, as text.
inline std::string integer_text(long double x) {
  return x < 0 ? apps::number_text(static_cast<std::int64_t>(x))
               : apps::number_text(static_cast<std::uint64_t>(x));
}

/// One bin per integer. The rule's bins are those of integers that T has; the others are empty.
template <class T>
struct chosen_integer_bins {
  integer_bins<T> rule;
  long double first;
  int count;
  int before;  ///< bins of integers below all that T has; -1: all bins are above them
  int bins() const { return count; }

  /// Over the range of `arguments`; else from 0 (as in numpy.bincount), or the smallest sample if
  /// that is negative, to the largest sample. `extent()` are the ends of the samples.
  template <class Extent>
  static chosen_integer_bins of(histogram_arguments const& arguments, Extent extent) {
    range_ends<long double> ends{0, 0};
    if (arguments.range) {
      ends = apps::parse_integer_range(*arguments.range);
    } else if (auto const found = extent()) {
      ends = {static_cast<long double>(std::min<T>(found->lo, 0)),
              static_cast<long double>(found->hi)};
    }
    if (ends.hi - ends.lo >= max_bins) {
      throw usage_error("a bin for each integer from " + apps::integer_text(ends.lo) + " to " +
                        apps::integer_text(ends.hi) + " makes more than " +
                        std::to_string(max_bins) + " bins: a shorter --range LO:HI is needed");
    }
    constexpr long double min_value = std::numeric_limits<T>::min();
    constexpr auto max_value = static_cast<long double>(std::numeric_limits<T>::max());
    // If T has none of them, the rule's only bin is next to them.
    long double const lo = std::clamp(ends.lo, min_value, max_value);
    long double const hi = std::clamp(ends.hi, min_value, max_value);
    return {integer_bins<T>(static_cast<T>(lo), static_cast<index_t>(hi - lo) + 1), ends.lo,
            static_cast<int>(ends.hi - ends.lo) + 1,
            static_cast<int>(std::clamp<long double>(lo - ends.lo, -1, max_bins))};
  }

  /// Whether the samples in the rule's only bin are above, or below, all bins.
  bool all_above() const { return before >= count; }
  bool all_below() const { return before < 0; }

  double edge(int k) const { return static_cast<double>(first) + k - 0.5; }
  std::string name(int from, int to) const {
    std::string const text = apps::integer_text(first + from);
    return to - from == 1 ? text : text + " to " + apps::integer_text(first + (to - 1));
  }
  bin_bounds bounds(int k) const {
    return {apps::integer_text(first + k), apps::integer_text(first + k)};
  }
  exact_edges edges() const {
    exact_edges all;
    for (int k = 0; k < count; ++k) all.push_back(first + k);
    all.push_back(all.back());
    return all;
  }
};

/// The edges of a file, of any type: exact numbers that ascend, and their text.
class edge_list {
 public:
  /// Throws `file_error` for edges that make no bins.
  edge_list(array const& from, std::string const& file) : integers_(!is_float(from.type)) {
    if (from.count() < 2 || from.count() > std::size_t{max_bins} + 1) {
      throw file_error(input_name(file), "holds " + std::to_string(from.count()) +
                                             " edges, expected 2 to " +
                                             std::to_string(max_bins + 1));
    }
    libscan::visit_item_type(from.type, [&]<class E>(std::type_identity<E>) {
      auto const items = from.values<E>();
      values_.assign(items.begin(), items.end());
    });
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (std::isnan(values_[k]) || (k > 0 && values_[k] < values_[k - 1])) {
        throw file_error(input_name(file), "edge " + std::to_string(k) + " is " +
                                               text(static_cast<int>(k)) +
                                               ", expected numbers that ascend");
      }
    }
  }

  int bins() const { return static_cast<int>(values_.size()) - 1; }
  bool are_integers() const { return integers_; }
  exact_edges const& values() const { return values_; }
  long double operator[](int k) const { return values_[static_cast<std::size_t>(k)]; }

  std::string text(int k) const {
    long double const edge = (*this)[k];
    if (!integers_) return apps::number_text(static_cast<double>(edge));
    return apps::integer_text(edge);
  }

 private:
  bool integers_;
  exact_edges values_;
};

/// The smallest value of type To that is not below x, if there is one.
template <class To>
std::optional<To> smallest_from(long double x) {
  using limits = std::numeric_limits<To>;
  if constexpr (std::is_integral_v<To>) {
    if (x > static_cast<long double>(limits::max())) return std::nullopt;
    return x < static_cast<long double>(limits::min()) ? limits::min()
                                                       : static_cast<To>(std::ceil(x));
  } else {
    auto const rounded = static_cast<To>(x);
    return rounded >= x ? rounded : libscan::detail::value_line<To>::next(rounded);
  }
}

/// The greatest value of type To that is not above x, if there is one.
template <class To>
std::optional<To> greatest_to(long double x) {
  using limits = std::numeric_limits<To>;
  if constexpr (std::is_integral_v<To>) {
    if (x < static_cast<long double>(limits::min())) return std::nullopt;
    return x > static_cast<long double>(limits::max()) ? limits::max()
                                                       : static_cast<To>(std::floor(x));
  } else {
    auto const rounded = static_cast<To>(x);
    return rounded <= x ? rounded : libscan::detail::value_line<To>::previous(rounded);
  }
}

/// Edges of type Edge that give each value of that type the bin which it has between the exact
/// edges. The last bins are missing if no value is in them; if none is in any, there are no edges.
template <class Edge>
std::vector<Edge> edges_as(exact_edges const& exact) {
  std::vector<Edge> edges;
  auto const last = greatest_to<Edge>(exact.back());
  for (std::size_t k = 0; last && k + 1 < exact.size(); ++k) {
    auto const first = smallest_from<Edge>(exact[k]);
    if (!first || *first > *last) break;
    edges.push_back(*first);
  }
  if (!edges.empty()) edges.push_back(*last);
  return edges;
}

/// Bins between edges of a file. The rule compares with edges of its own type, and may have fewer
/// bins: those after them are empty.
template <class T, class Edge>
struct chosen_edge_bins {
  edge_list list;
  std::vector<Edge> rule_edges;
  bool none_inside;  ///< the rule's only bin holds the samples above all edges
  edge_bins<T, Edge> rule;

  chosen_edge_bins(edge_list edges, std::vector<Edge> of_rule, bool only_above = false)
      : list(std::move(edges)),
        rule_edges(std::move(of_rule)),
        none_inside(only_above),
        rule(rule_edges.data(), static_cast<index_t>(rule_edges.size()) - 1) {}
  // The rule points to the edges.
  chosen_edge_bins(chosen_edge_bins const&) = delete;
  chosen_edge_bins& operator=(chosen_edge_bins const&) = delete;

  int bins() const { return list.bins(); }
  double edge(int k) const { return static_cast<double>(list[k]); }
  std::string name(int from, int to) const {
    return apps::interval_name(list.text(from), list.text(to), to == bins());
  }
  bin_bounds bounds(int k) const { return {list.text(k), list.text(k + 1)}; }
  exact_edges const& edges() const { return list.values(); }
};

/// Moves results of a rule that has fewer bins, and samples that it counted in a bin which is none.
template <class Bins, class Result>
void correct(Bins const& bins, std::vector<Result>& results, sample_totals& totals) {
  bool above = false, below = false;
  if constexpr (requires { bins.none_inside; }) above = bins.none_inside;
  if constexpr (requires { bins.before; }) {
    above = bins.all_above();
    below = bins.all_below();
    if (!above && !below) {
      std::rotate(results.begin(), results.end() - bins.before, results.end());
    }
  }
  if (!above && !below) return;
  results[0] = 0;
  (above ? totals.above : totals.below) += std::exchange(totals.inside, 0);
}

/// Whether x is a number of type To; `same` is that number.
template <class To, class From>
bool is_exact(From x, To& same) {
  auto const number = static_cast<long double>(x);
  constexpr auto max_value = static_cast<long double>(std::numeric_limits<To>::max());
  constexpr auto min_value = static_cast<long double>(std::numeric_limits<To>::lowest());
  bool const fits = std::is_floating_point_v<To> || (number >= min_value && number <= max_value);
  same = fits ? static_cast<To>(x) : To{0};
  return fits && (libscan::detail::is_nan(x) || static_cast<long double>(same) == number);
}

/// The items of a file as numbers of type To, exactly. `what` names them in the error.
template <class To>
std::vector<To> exact_items(array const& from, std::string const& file, char const* what) {
  apps::require_memory(apps::memory_held() + from.count() * sizeof(To),
                       std::string(what) + "s of " + apps::input_name(file));
  return libscan::visit_item_type(from.type, [&]<class T>(std::type_identity<T>) {
    std::vector<To> items;
    items.reserve(from.count());
    for (T const x : from.values<T>()) {
      To same;
      if (!apps::is_exact(x, same)) {
        throw file_error(input_name(file), std::string(what) + " " + apps::number_text(x) +
                                               " is not exact as a " +
                                               std::string(apps::name_of(apps::dtype_of<To>())));
      }
      items.push_back(same);
    }
    return items;
  });
}

}  // namespace libscan::apps
