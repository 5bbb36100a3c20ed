// SPDX-License-Identifier: Apache-2.0
// A histogram as something to draw, and its drawing in a terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <apps/common/number.hpp>

namespace libscan::apps {

/// A bar: of one bin, or of neighbours together.
struct bar {
  double from, to;   ///< where it begins and ends, for pictures
  std::string name;  ///< for people: "[0, 2.5)"
  double height;
};

/// What is drawn.
struct chart {
  std::string title;   ///< of what file
  std::string values;  ///< what the axis of the bars tells
  std::string counts;  ///< what their heights tell
  std::vector<bar> bars;
  bool log = false;
};

/// The name of a bar between two edges, the upper of which may belong to it.
template <class Edge>
std::string interval_name(Edge from, Edge to, bool closed) {
  return "[" + apps::number_text(from) + ", " + apps::number_text(to) + (closed ? "]" : ")");
}

/// Joins bins to at most `most_bars` bars of equally many bins. `edge(k)` and `name(k, end)` tell
/// where bins begin, and the name of bins k to end - 1; `heights` has one for each bin.
std::vector<bar> join_bins(std::vector<double> const& heights, int most_bars,
                           std::function<double(int)> const& edge,
                           std::function<std::string(int, int)> const& name);

/// The drawing for a terminal of so many columns: a bar to a line, the scale below. Bars of heights
/// below 0 are of minus signs; by logarithm these have none.
std::string drawn_in_text(chart const& what, int columns);

/// Columns of the terminal behind a file descriptor; 80 if it is none.
int terminal_columns(int descriptor);

}  // namespace libscan::apps
