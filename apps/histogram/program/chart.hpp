// SPDX-License-Identifier: Apache-2.0
// A histogram to be drawn, and its drawing in a terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <apps/common/number.hpp>

namespace libscan::apps {

/// A bar: for one bin, or for neighboring bins together.
struct bar {
  double from, to;   ///< begin and end, for pictures
  std::string name;  ///< for people: "[0, 2.5)"
  double height;
};

/// What is drawn.
struct chart {
  std::string title;   ///< of the drawing: the file
  std::string values;  ///< the label of the axis of the bars
  std::string counts;  ///< the label of their heights
  std::vector<bar> bars;
  bool log = false;
};

/// The name of a bar between two edges; `closed`: it includes the upper one.
template <class Edge>
std::string interval_name(Edge from, Edge to, bool closed) {
  return "[" + apps::number_text(from) + ", " + apps::number_text(to) + (closed ? "]" : ")");
}

/// Joins bins into at most `max_bars` bars of equal numbers of bins. `edge(k)` is the begin of bin
/// k, `name(k, end)` the name of bins k to end - 1; `heights` has one number per bin.
std::vector<bar> join_bins(std::vector<double> const& heights, int max_bars,
                           std::function<double(int)> const& edge,
                           std::function<std::string(int, int)> const& name);

/// The drawing for a terminal of `columns` columns: one bar per line, the scale below. Bars of
/// negative heights consist of minus signs; they have none on a logarithmic scale.
std::string drawn_in_text(chart const& what, int columns);

/// The columns of the terminal of a file descriptor; 80 if it is not a terminal.
int terminal_columns(int descriptor);

}  // namespace libscan::apps
