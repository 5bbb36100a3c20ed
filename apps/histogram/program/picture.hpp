// SPDX-License-Identifier: Apache-2.0
// A chart as a picture file, drawn by gnuplot: it is maintained, and writes SVG and PNG with proper
// axes and fonts. As a separate program it is not needed to build libscan; it is looked up when a
// picture is requested.
#pragma once

#include <cstdint>
#include <string>

#include <apps/common/output_file.hpp>
#include <apps/histogram/program/chart.hpp>

namespace libscan::apps {

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
