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
#include <apps/common/plain_rows.hpp>

namespace libscan::apps {

/// How a text is split into rows and cells; see `read_options`.
struct table_rules {
  comment_rule comments = comment_rule::leading;
  char delimiter = '\0';       ///< 0: guessed from the first row
  bool decimal_comma = false;  ///< a comma is then never guessed as the delimiter
  bool ragged = false;         ///< rows may have any number of cells
  bool has_options = true;     ///< messages may name options
};

/// Walks down columns of a table. Does not interpret numbers.
class table_reader {
 public:
  /// `in` must outlive this object. Reads column 1 until `select` is called.
  table_reader(byte_reader& in, table_rules const& rules)
      : in_(in), rules_(rules), delimiter_(rules.delimiter == '\0' ? ' ' : rules.delimiter) {}

  /// Reads these columns, which count from 1, of this row, if there is one, and of all later rows.
  /// Throws as `next`.
  void select(std::vector<int> columns);

  /// Moves to the next row: a line that is neither empty nor a comment. False at the end. Throws
  /// `file_error` for a line that has another number of cells than the first (unless rows may be
  /// ragged), or has a bad quote, and if the first line is no text with line ends LF or CR LF.
  bool next();

  /// Moves to the next line, whatever its content; only `text` is valid. Throws as `next` if it is
  /// not text.
  bool next_line();

  /// A cell without blanks and quotes around it; a quote inside is still doubled.
  struct cell {
    std::string_view content;
    bool quoted = false;
  };

  /// The cells of the selected columns in this row. Valid until `next`, and only if `complete`.
  std::vector<cell> const& selected() const { return selected_; }

  /// Whether this row has all selected columns.
  bool complete() const { return cells_in_row_ >= last_column_; }

  /// What a message says about a row that is not `complete`.
  std::string lacking() const;

  /// The contents of all cells of this row, in the first two rows; none after that. Valid until
  /// `next`.
  std::vector<std::string_view> const& cells() const { return row_cells_; }

  /// All of this line, without its end, and without the blanks after it if they separate cells. A
  /// row has several lines if its quoted cells do; they are then one "line".
  /// Valid until `next`.
  std::string_view text() const { return text_; }

  /// All bytes of this line before its LF. Valid until `next`; `text` and the cells are in them.
  std::string_view line_bytes() const { return line_bytes_; }

  /// Where they begin in the input.
  std::uint64_t line_begin() const { return line_begin_; }

  /// The bytes after this row that are in memory, or the next ones; empty at the end of the input.
  /// This row is no longer valid.
  std::string_view ahead();

  /// Whether `ahead` would wait for a tenth of a second or longer. This row is no longer valid.
  bool waits();

  /// Passes rows of one line each, of so many bytes, at the beginning of `ahead`.
  void pass(std::size_t bytes, std::size_t rows);

  /// How later rows are split, if they have no quotes.
  plain_rules rules_of_plain_rows() const;

  /// The end of this line if the input has none there: that of the first line. Else empty.
  std::string_view missing_end() const;

  /// The input's name for messages.
  std::string const& name() const { return in_.name(); }

  /// Number of cells in the first row.
  int columns() const { return cells_; }

  /// The last line that was skipped as a comment before the first row; 0: none was.
  std::uint64_t comment_line() const { return comment_line_; }

  /// That line, if it has no more than 4 KiB.
  std::string const& comment() const { return comment_; }

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
  bool take_line();
  bool join_next_line();
  void check_encoding();
  bool skipped();
  bool is_comment(std::size_t at) const;
  void choose_delimiter();
  /// A part of `text_`, which moves when lines are joined.
  struct part {
    std::size_t begin = 0, size = 0;
    bool quoted = false;
  };

  void find_cells();
  part next_cell(std::size_t& at);
  part quoted_cell(std::size_t& at);
  std::size_t closing_quote(std::size_t start, bool may_join);
  bool at_blank(std::size_t at) const;
  std::size_t end_of_quoted_text(std::size_t at) const;

  byte_reader& in_;
  table_rules rules_;
  std::vector<int> columns_{1};
  int last_column_ = 1;
  std::string_view text_;  // this line, and those that its quoted cells end in
  std::string_view line_bytes_;
  std::string carry_;  // holds `text_` if it spans pieces of the input
  std::vector<cell> selected_{1};
  std::vector<part> parts_{1}, row_parts_;  // `selected_` and `row_cells_`
  std::vector<std::string_view> row_cells_;
  std::size_t to_skip_ = 0;         // of the input's look-ahead, once `text_` is no longer needed
  std::uint64_t line_ = 0;          // the first one of this row
  std::uint64_t joined_lines_ = 0;  // after it
  std::uint64_t line_begin_ = 0;
  bool open_ = false;              // this line is the last one, and has no LF
  bool carriage_returns_ = false;  // the first line ends with CR LF
  int cells_ = 0;                  // in the first row; 0 before it
  int cells_in_row_ = 0;           // in this row, up to where it was read
  char delimiter_;                 // ' ' stands for runs of blanks
  std::uint64_t rows_ = 0;
  std::uint64_t comment_line_ = 0;
  std::string comment_;
};

/// What a message says about a CR that does not precede an LF.
constexpr char const* cr_within_line =
    "a CR within the line, expected lines that end with LF or CR LF (tr '\\r' '\\n' makes them)";

/// `text` for a message: in single quotes, shortened, with bytes as \xNN where they do not print,
/// or are a sign beyond ASCII that may look like another.
std::string for_people(std::string_view text);

}  // namespace libscan::apps
