// SPDX-License-Identifier: Apache-2.0
// The plan of a drawing: rows of cells, and arrows between them. It has the dependencies, but no
// colors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apps/explain/stages.hpp>

namespace libscan::apps {

/// How a cell got its value in its row.
enum class cell_state : std::uint8_t { kept, moved, added };

/// A cell of memory in a row. Columns are counted in widths of a cell, from 0.
struct drawn_cell {
  double column = 0;
  int row = 0;
  cell_state state = cell_state::kept;
  bool global = false;
  bool identity = false;  ///< the operator's 0: padding, or what comes before the first item
  std::int32_t number = 0;
  int thread = -1;  ///< that added; -1: none
};

/// What an arrow carries.
enum class arrow_kind : std::uint8_t { same, copy, earlier, later };

/// From one cell to another, below it or in the same row.
struct arrow {
  std::size_t from = 0;  ///< in `drawing::cells`
  std::size_t to = 0;
  arrow_kind kind = arrow_kind::same;
};

/// A row, or the heading of a launch.
struct drawn_row {
  std::string label;
  std::string words;
  bool heading = false;
  std::vector<std::string> notes{};  ///< what tiles saw when they looked back
};

/// The columns of a block in its rows.
struct drawn_block {
  int block = 0;
  int tile = 0;
  double first = 0, last = 0;
  int top = 0, bottom = 0;  ///< rows
};

/// The whole plan.
struct drawing {
  std::vector<drawn_row> rows;
  std::vector<drawn_cell> cells;
  std::vector<arrow> arrows;
  std::vector<drawn_block> blocks;
};

/// Draws a run. Arrows are found by looking where the operands of a sum lay, never from a formula.
drawing drawing_of(recorded_run const& run);

}  // namespace libscan::apps
