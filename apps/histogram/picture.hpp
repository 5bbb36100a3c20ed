// SPDX-License-Identifier: Apache-2.0
// A chart as a picture file, drawn by gnuplot: it is kept up, writes SVG and PNG with proper axes
// and fonts, and, being another program, burdens nobody who builds libscan. It is looked for when a
// picture is wanted.
#pragma once

#include <cstdint>
#include <string>

#include <apps/common/output_file.hpp>
#include <apps/histogram/chart.hpp>

namespace libscan::apps {

/// The formats of pictures.
enum class picture_format : std::uint8_t { svg, png };

/// Throws `error` that names the package to install unless `gnuplot` can be run.
void require_gnuplot();

/// What gnuplot is told to draw `what` to its standard output.
std::string gnuplot_script(chart const& what, picture_format format);

/// Writes the picture, a whole file, and leaves it to be committed. Throws `error` with gnuplot's
/// words if it fails, and as `output_file::write`.
void draw_picture(chart const& what, picture_format format, output_file& to);

}  // namespace libscan::apps
