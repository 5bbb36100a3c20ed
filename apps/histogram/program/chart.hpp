// SPDX-License-Identifier: Apache-2.0
// A histogram to be drawn: in a terminal, or as a picture by gnuplot, which is maintained, and
// writes SVG and PNG with proper axes and fonts. As a separate program it is not needed to build
// libscan; it is looked up when a picture is requested.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <apps/common/output_file.hpp>

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
inline std::string interval_name(std::string const& from, std::string const& to, bool closed) {
  return "[" + from + ", " + to + (closed ? "]" : ")");
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

/// The formats of pictures.
enum class picture_format : std::uint8_t { svg, png };

/// Throws `error` that names the package to install if `gnuplot` cannot be run.
void require_gnuplot();

/// The gnuplot script that draws `what` to standard output.
std::string gnuplot_script(chart const& what, picture_format format);

/// Writes the picture, a whole file, which must then be committed. Throws `error` with gnuplot's
/// message if it fails, and as `output_file::write`.
void draw_picture(chart const& what, picture_format format, output_file& to);

}  // namespace libscan::apps
