// SPDX-License-Identifier: Apache-2.0
// The cells of chosen columns of a text, row by row below its header.
// docs/text.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {

/// Walks down columns below the header, or along the only row. Decides by `read_options` which row
/// is the header, which columns are meant and what becomes of missing values.
class column_reader {
 public:
  /// Reads the columns `keys`; if there are none, `options.column`. `in` and `options` must outlive
  /// this object. Throws `usage_error` for a column by name with `header_rule::absent`.
  column_reader(byte_reader& in, read_options const& options, std::vector<column_key> keys = {});

  /// Moves to the next row, or to the next number of the only row; false at the end. Throws
  /// `file_error` as `table_reader`, and if a column does not exist.
  bool next();

  /// The cell of column `k` of the keys in this row, as a number is parsed: with a decimal point,
  /// and with the number that stands for a missing value. Valid until `next`.
  std::string_view cell(std::size_t k = 0) const { return cells_[k].parsed; }

  /// The same as it is in the text.
  std::string_view shown(std::size_t k = 0) const { return cells_[k].shown; }

  /// The same for messages, with the number that stands for a missing value.
  std::string named(std::size_t k) const;

  /// Whether that cell is in quotes.
  bool quoted(std::size_t k) const { return cells_[k].quoted; }

  /// Whether that cell means a missing value, whose row is sorted before or after all others.
  /// `cell` is then 0.
  bool missing(std::size_t k) const { return cells_[k].missing; }

  /// How later rows are split, if they are plain; nothing if none can be.
  std::optional<plain_rules> rules_of_plain_rows() const;

  /// The number of column `k` of the keys, from 1.
  int number(std::size_t k) const { return keys_[k].column.number; }

  /// As those of `table_reader`.
  std::string_view ahead() { return table_.ahead(); }
  bool waits() { return table_.waits(); }
  void pass(std::size_t bytes, std::size_t rows);

  /// The line of `cell`, from 1.
  std::uint64_t line() const { return line_; }

  /// Bytes of the input: of a line before its LF, for example.
  struct place {
    std::uint64_t begin = 0;
    std::size_t size = 0;
  };

  /// Where this row is in the input.
  place row_place() const { return {table_.line_begin(), table_.line_bytes().size()}; }

  /// Its bytes, without the LF after them. Valid until `next`.
  std::string_view row_bytes() const { return table_.line_bytes(); }

  /// Where a cell of this row, as `shown`, is in the row.
  place cell_place(std::size_t k) const {
    auto const at = cells_[k].shown.data() - table_.line_bytes().data();
    return {static_cast<std::uint64_t>(at), cells_[k].shown.size()};
  }

  /// The line of the header; 0: there is none.
  std::uint64_t header_line() const { return header_line_; }

  /// Its bytes, without the LF after them.
  std::string const& header() const { return header_; }

  /// The end of the last row, or header, so far, if the input has none there. Else LF.
  std::string_view last_end() const { return last_end_; }

  /// What was guessed, to be shown to the user.
  std::vector<std::string> const& notes() const { return notes_; }

  /// Whether the items are the numbers of the only row.
  bool is_sequence() const { return place_ > 0; }

  /// Throws the `file_error` "name:line: reason" for this row.
  [[noreturn]] void fail(std::string const& reason) const { table_.fail_at(line_, reason); }

  /// The same for another line.
  [[noreturn]] void fail_at(std::uint64_t line, std::string const& reason) const {
    table_.fail_at(line, reason);
  }

  /// Throws for a cell that is not what was `expected`: "a number", for example.
  [[noreturn]] void refuse(std::size_t k, std::string const& expected) const {
    if (stands_for_missing(k)) fail(named(k) + " does not fit, expected " + expected);
    refuse(cells_[k].shown, k, expected);
  }

 private:
  struct cell_value {
    std::string_view parsed, shown;
    bool quoted = false;
    bool missing = false;
    std::string buffer = {};  // holds `parsed` if the text does not
  };

  bool pass_header();
  bool is_header();
  bool skip_header();
  int find_name(std::string const& name) const;
  void select_columns();
  bool take_cells();
  bool take_cell(std::size_t k, std::string_view content);
  bool stands_for_missing(std::size_t k) const;
  std::string_view with_point(std::string_view cell, std::string& to) const;
  bool is_number_here(std::string_view cell) const;
  void look_along_row();
  void look_at_comment();
  void note_end();
  bool next_of_only_row();
  bool next_in_row();
  void note(std::uint64_t line, std::string const& words);
  std::string hint_about(std::string_view cell, bool in_first) const;
  std::string hint_about_options(std::string_view cell, bool in_first) const;
  [[noreturn]] void refuse(std::string_view cell, std::size_t k, std::string const& expected) const;

  table_reader table_;
  read_options const& options_;
  std::vector<column_key> keys_;
  bool given_;    // whether the caller chose columns
  bool by_name_;  // whether any is named by its word in the header
  std::vector<cell_value> cells_;
  std::uint64_t line_ = 0;
  std::uint64_t rows_ = 0;  // without the header
  std::uint64_t header_line_ = 0;
  std::string header_;
  std::string_view last_end_ = "\n";
  std::vector<std::string> row_;  // the first row, if it may be a sequence
  std::size_t place_ = 0;         // in it, if no other row follows
  std::vector<std::string> notes_;
};

}  // namespace libscan::apps
