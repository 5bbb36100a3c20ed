// SPDX-License-Identifier: Apache-2.0
// A recorded run in words and columns, for a terminal.
#pragma once

#include <string>

#include <apps/explain/record.hpp>

namespace libscan::apps {

/// The width, and whether to use colors.
struct text_style {
  int width = 80;
  bool colors = false;
};

/// The most cells of a tile, and the most tiles of a launch, that are shown step by step; larger
/// ones are summarized, one line per step.
inline constexpr int max_cells_in_detail = 64;
inline constexpr int max_tiles_in_detail = 32;

/// The run step by step, then its counts.
std::string text_of(recorded_run const& run, text_style const& style);

}  // namespace libscan::apps
