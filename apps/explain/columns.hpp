// SPDX-License-Identifier: Apache-2.0
// Lines of text that fit a width: labelled rows of cells, and paragraphs.
#pragma once

#include <string>
#include <vector>

namespace libscan::apps {

/// A row of cells beneath or above others of as many.
struct text_row {
  std::string label;
  std::vector<std::string> cells;
  std::vector<bool> strong{};  ///< cells to stand out where there are colours; may be empty
};

/// The rows, their columns aligned, behind `indent` blanks; continued below where they are wider
/// than `width`.
std::string columns(std::vector<text_row> const& rows, int indent, int width, bool colours);

/// Words as they are, if possible several in a line, in columns of equal width.
std::string list(std::vector<std::string> const& entries, int indent, int width);

/// The text broken at blanks, further lines `indent` + 2 from the left.
std::string paragraph(std::string const& text, int indent, int width);

/// 0, 1, 2, 5 as "0-2 5".
std::string ranges(std::vector<int> const& ascending);

/// "1 step", "2 steps".
std::string plural(long long count, std::string const& word);

}  // namespace libscan::apps
