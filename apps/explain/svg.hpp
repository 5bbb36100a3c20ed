// SPDX-License-Identifier: Apache-2.0
// A recorded run as a drawing: memory in rows, time downwards, an arrow from each operand to its
// sum.
#pragma once

#include <string>

#include <apps/explain/record.hpp>

namespace libscan::apps {

/// The most items of a drawing.
inline constexpr int max_drawn_items = 64;

/// Throws `invalid_argument` if there are too many items for a drawing.
void check_drawable(int items);

/// The drawing, a complete SVG file.
std::string svg_of(recorded_run const& run);

}  // namespace libscan::apps
