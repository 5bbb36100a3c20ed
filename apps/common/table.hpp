// SPDX-License-Identifier: Apache-2.0
// Lines of text, and the cells of one column in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// Walks down one column of a table. Does not interpret numbers.
class table_reader {
 public:
  /// `in` must outlive this object. `column` counts from 1. `comments` as in `read_options`.
  table_reader(byte_reader& in, int column, comment_rule comments);

  /// Moves to the next row: a line that is neither empty nor a comment. False at the end. Throws
  /// `file_error` for a line that lacks the column, has another number of cells than the first, or
  /// has a bad quote, and if the first line is no text with line ends LF or CR LF.
  bool next();

  /// Moves to the next line, whatever its content; only `text` is valid. Throws as `next` if it is
  /// not text.
  bool next_line();

  /// The same as `next`, but ignores the line's cells: they may be anything, and `cell` is not set.
  bool next_row();

  /// The column's cell in this line, without blanks and quotes around it; a quote inside is still
  /// doubled. Valid until `next`.
  std::string_view cell() const { return cell_; }

  /// Whether that cell is in quotes.
  bool quoted() const { return quoted_; }

  /// All cells of this row, each as `cell`, in the first two rows; none after that. Valid until
  /// `next`.
  std::vector<std::string_view> const& cells() const { return row_cells_; }

  /// All of this line. Valid until `next`.
  std::string_view text() const { return text_; }

  /// The input's name for messages.
  std::string const& name() const { return in_.name(); }

  /// Number of cells in each row.
  int columns() const { return cells_; }

  /// Number of this line, from 1, counting comments and empty lines.
  std::uint64_t line() const { return line_; }

  /// True in the first row.
  bool first() const { return rows_ == 1; }

  /// The hint that a message adds about a line, or its cell, that begins with '#' below the first
  /// row; empty for others.
  std::string comment_hint(std::string_view line) const;

  /// Throws the `file_error` "name:line: reason" for this line.
  [[noreturn]] void fail(std::string const& reason) const { fail_at(line_, reason); }

  /// The same for an earlier line.
  [[noreturn]] void fail_at(std::uint64_t line, std::string const& reason) const;

 private:
  bool read_line();
  void check_encoding();
  bool skipped() const;
  void choose_delimiter();
  void find_cell();
  std::string_view quoted_cell(std::size_t& at);
  bool at_blank(std::size_t at) const;
  std::size_t end_of_quoted_text(std::size_t at) const;

  byte_reader& in_;
  int column_;
  comment_rule comments_;
  std::string_view text_;  // this line
  std::string carry_;      // holds `text_` if it spans pieces of the input
  std::string_view cell_;
  bool quoted_ = false;
  std::vector<std::string_view> row_cells_;
  std::size_t to_skip_ = 0;  // of the input's look-ahead, once `text_` is no longer needed
  std::uint64_t line_ = 0;
  int cells_ = 0;         // in each line; 0 before the first
  char delimiter_ = ' ';  // ' ' stands for runs of blanks
  std::uint64_t rows_ = 0;
};

/// `text` for a message: in single quotes, shortened, with unprintable bytes as \xNN.
std::string for_people(std::string_view text);

}  // namespace libscan::apps
