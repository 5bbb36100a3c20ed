// SPDX-License-Identifier: Apache-2.0
// Lines of text that fit a width: labeled rows of cells, and paragraphs.
#pragma once

#include <string>
#include <vector>

namespace libscan::apps {

/// A row of cells; the rows of one table have the same number of cells.
struct text_row {
  std::string label;
  std::vector<std::string> cells;
  std::vector<bool> strong{};  ///< cells to highlight if there are colors; may be empty
};

/// The rows with aligned columns, after `indent` blanks; continued below if they are wider than
/// `width`.
std::string columns(std::vector<text_row> const& rows, int indent, int width, bool colors);

/// Words unchanged, several to a line if possible, in columns of equal width.
std::string list(std::vector<std::string> const& entries, int indent, int width);

/// The text broken at blanks; further lines are indented by `indent` + 2.
std::string paragraph(std::string const& text, int indent, int width);

/// 0, 1, 2, 5 as "0-2 5".
std::string ranges(std::vector<int> const& ascending);

/// "1 step", "2 steps".
std::string plural(long long count, std::string const& word);

}  // namespace libscan::apps
