// SPDX-License-Identifier: Apache-2.0
// The bins that result from scan-histogram's arguments and samples: a rule, and the description of
// its bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
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
      constexpr double most = std::numeric_limits<double>::max();
      if (lo > -most) lo = std::min(lo - 0.5, doubles::previous(lo));
      if (hi < most) hi = std::max(hi + 0.5, doubles::next(hi));
    }
    return {lo, hi};
  }
};

/// One bin per integer.
template <class T>
struct chosen_integer_bins {
  integer_bins<T> rule;
  T first;

  /// Over the range of `arguments`; else from 0 (as in numpy.bincount), or the smallest sample if
  /// that is negative, to the largest sample. `extent()` are the ends of the samples.
  template <class Extent>
  static chosen_integer_bins of(histogram_arguments const& arguments, Extent extent) {
    range_ends<T> ends{0, 0};
    if (arguments.range) {
      ends = apps::parse_integer_range<T>(*arguments.range);
    } else if (auto const found = extent()) {
      ends = {std::min<T>(found->lo, 0), std::max<T>(found->hi, 0)};
    }
    auto const last = static_cast<std::uint64_t>(ends.hi) - static_cast<std::uint64_t>(ends.lo);
    if (last >= max_bins) {
      throw usage_error("a bin for each integer from " + std::to_string(ends.lo) + " to " +
                        std::to_string(ends.hi) + " makes more than " + std::to_string(max_bins) +
                        " bins: a shorter --range LO:HI is needed");
    }
    return {integer_bins<T>(ends.lo, static_cast<index_t>(last) + 1), ends.lo};
  }

  double edge(int k) const { return static_cast<double>(first) + k - 0.5; }
  std::string name(int from, int to) const {
    std::string const text = std::to_string(integer(from));
    return to - from == 1 ? text : text + " to " + std::to_string(integer(to - 1));
  }
  bin_bounds bounds(int k) const {
    return {apps::number_text(integer(k)), apps::number_text(integer(k))};
  }
  exact_edges edges() const {
    exact_edges all;
    for (int k = 0; k < rule.bins(); ++k) all.push_back(static_cast<long double>(integer(k)));
    all.push_back(all.back());
    return all;
  }

 private:
  T integer(int k) const {
    return static_cast<T>(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(k));
  }
};

/// Bins between edges of a file.
template <class T, class Edge>
struct chosen_edge_bins {
  std::vector<Edge> values;
  edge_bins<T, Edge> rule;

  explicit chosen_edge_bins(std::vector<Edge> edges, std::string const& file)
      : values(std::move(edges)), rule(values.data(), checked_bins(values, file)) {}

  double edge(int k) const { return static_cast<double>(values[static_cast<std::size_t>(k)]); }
  std::string name(int from, int to) const {
    return apps::interval_name(values[static_cast<std::size_t>(from)],
                               values[static_cast<std::size_t>(to)], to == rule.bins());
  }
  bin_bounds bounds(int k) const {
    auto const at = static_cast<std::size_t>(k);
    return {apps::number_text(values[at]), apps::number_text(values[at + 1])};
  }
  exact_edges edges() const { return exact_edges(values.begin(), values.end()); }

 private:
  static index_t checked_bins(std::vector<Edge> const& edges, std::string const& file) {
    auto const bins = static_cast<index_t>(edges.size()) - 1;
    if (bins < 1 || bins > max_bins) {
      throw file_error(input_name(file), "holds " + std::to_string(edges.size()) +
                                             " edges, expected 2 to " +
                                             std::to_string(max_bins + 1));
    }
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (libscan::detail::is_nan(edges[k]) || (k > 0 && edges[k] < edges[k - 1])) {
        throw file_error(input_name(file), "edge " + std::to_string(k) + " is " +
                                               apps::number_text(edges[k]) +
                                               ", expected numbers that ascend");
      }
    }
    return bins;
  }
};

/// Whether x is a number of type To; `same` is that number.
template <class To, class From>
bool is_exact(From x, To& same) {
  auto const number = static_cast<long double>(x);
  constexpr auto most = static_cast<long double>(std::numeric_limits<To>::max());
  constexpr auto least = static_cast<long double>(std::numeric_limits<To>::lowest());
  bool const fits = std::is_floating_point_v<To> || (number >= least && number <= most);
  same = fits ? static_cast<To>(x) : To{0};
  return fits && (libscan::detail::is_nan(x) || static_cast<long double>(same) == number);
}

/// Whether all items of a file are numbers of type To.
template <class To>
bool are_exact(array const& from) {
  return libscan::visit_item_type(from.type, [&]<class T>(std::type_identity<T>) {
    auto const values = from.values<T>();
    To same;
    return std::all_of(values.begin(), values.end(), [&](T x) { return apps::is_exact(x, same); });
  });
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

/// The items of a file, rounded to the nearest doubles.
inline std::vector<double> nearest_items(array const& from) {
  return libscan::visit_item_type(from.type, [&]<class T>(std::type_identity<T>) {
    auto const values = from.values<T>();
    std::vector<double> items(values.size());
    std::transform(values.begin(), values.end(), items.begin(),
                   [](T x) { return static_cast<double>(x); });
    return items;
  });
}

/// Replaces edges beyond the limits of the 64-bit integer type To by the limits, if that makes no
/// difference: below the smallest integer unless all are (the last edge belongs to its bin), above
/// the largest one only for the last edge. Otherwise throws `file_error`.
template <class To>
std::vector<To> clamped_edges(array const& from, std::string const& file) {
  return libscan::visit_item_type(from.type, [&]<class T>(std::type_identity<T>) {
    auto const values = from.values<T>();
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    std::vector<To> edges;
    for (std::size_t k = 0; k < values.size(); ++k) {
      T const x = values[k];
      To same;
      bool const last = k + 1 == values.size();
      bool const below = static_cast<long double>(x) < static_cast<long double>(least);
      if (!apps::is_exact(x, same)) {
        if (below ? last : !last) {
          throw file_error(input_name(file), "edge " + apps::number_text(x) +
                                                 " is not exact as a " +
                                                 std::string(apps::name_of(apps::dtype_of<To>())));
        }
        same = below ? least : most;
      }
      edges.push_back(same);
    }
    return edges;
  });
}

}  // namespace libscan::apps
