// SPDX-License-Identifier: Apache-2.0
// Headers, columns by name, missing values and sequences.
#include <apps/common/column_reader.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/cells.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {
namespace {

bool by_name(column_key const& key) { return key.column.number == 0; }

}  // namespace

column_reader::column_reader(byte_reader& in, read_options const& options,
                             std::vector<column_key> keys)
    : table_(in, {options.comments, options.delimiter, options.decimal_comma,
                  options.column.has_value() || !keys.empty(), options.has_options}),
      options_(options),
      given_(options.column.has_value() || !keys.empty()),
      by_name_(false) {
  keys_ = std::move(keys);
  if (keys_.empty()) keys_.push_back({options.column.value_or(1)});
  cells_.resize(keys_.size());
  auto const named = std::find_if(keys_.begin(), keys_.end(), by_name);
  by_name_ = named != keys_.end();
  if (!by_name_) {
    select_columns();
    return;
  }
  if (options.header == header_rule::absent) {
    throw usage_error("--column: " + words_of(named->column) +
                      " is a word of the header, but --header no says that there is none");
  }
}

void column_reader::select_columns() {
  std::vector<int> columns;
  for (column_key const& key : keys_) columns.push_back(key.column.number);
  table_.select(std::move(columns));
}

bool column_reader::next() {
  if (place_ > 0) return next_in_row();
  do {
    if (!table_.next()) {
      if (rows_ == 0) look_at_comment();
      return rows_ == 1 && next_of_only_row();
    }
    line_ = table_.line();
    if (table_.first() && !pass_header()) return false;
    if (!table_.complete()) fail(table_.lacking());
    if (++rows_ <= 2) look_along_row();
    if (rows_ == 1) look_at_comment();
  } while (!take_cells());
  note_end();
  return true;
}

std::optional<plain_rules> column_reader::rules_of_plain_rows() const {
  constexpr std::uint64_t looked_at = 2;  // rows that decide what a text is
  if (rows_ < looked_at || place_ > 0 || options_.decimal_comma) return std::nullopt;
  return table_.rules_of_plain_rows();
}

void column_reader::pass(std::size_t bytes, std::size_t rows) {
  table_.pass(bytes, rows);
  rows_ += rows;
  last_end_ = "\n";
}

/// Moves past the header if the first row is one; false if no row follows it.
bool column_reader::pass_header() {
  if (by_name_) {
    for (column_key& key : keys_) {
      if (by_name(key)) key.column = find_name(key.column.name);
    }
    select_columns();
    return skip_header();
  }
  bool const header = options_.header == header_rule::automatic
                          ? is_header()
                          : options_.header == header_rule::present;
  return !header || skip_header();
}

/// The rule of docs/text.md.
bool column_reader::is_header() {
  auto const& cells = table_.cells();
  if (!are_printable(table_.text())) return false;
  // As the line "total 48" that begins the output of ls -l.
  if (!table_.complete()) return is_name_or_sign(cells[0]);
  if (std::any_of(cells.begin(), cells.end(), [&](auto cell) { return is_number_here(cell); })) {
    return false;
  }
  bool any_number = false;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    if (keys_[k].kind == cell_kind::text) continue;
    any_number = true;
    auto const& [content, quoted] = table_.selected()[k];
    bool const plain = !quoted && cells.size() == 1;
    if (!(plain ? is_plain_name(content) : is_name_or_sign(content))) return false;
  }
  return any_number;
}

/// Moves to the row below the header; false if there is none. A header that is only guessed has
/// rows below it.
bool column_reader::skip_header() {
  header_line_ = line_;
  header_ = table_.line_bytes();
  note_end();
  std::string const words(table_.text());
  std::string const lacking = table_.complete() ? std::string() : table_.lacking();
  std::string const cell(lacking.empty() ? table_.selected()[0].content : std::string_view());
  bool const more = table_.next();
  if (options_.header == header_rule::automatic && !by_name_) {
    if (!lacking.empty() && !(more && table_.complete())) fail(lacking);
    if (!more) refuse(cell, 0, "a number");
    note(header_line_, for_people(words) + (lacking.empty() ? "" : ", which has too few columns,") +
                           " is read as a header" +
                           (options_.has_options ? " (--header yes or no decides)" : ""));
  }
  line_ = table_.line();
  return more;
}

/// The number of the column with this name in the header, which is this row.
int column_reader::find_name(std::string const& name) const {
  std::vector<std::string> names;
  for (std::string_view const cell : table_.cells()) names.push_back(without_doubled_quotes(cell));
  auto const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string words = "no column is called " + for_people(name) + ", expected ";
    std::string const near = closest_word(name, names);
    if (!near.empty()) fail(words + for_people(near) + ", perhaps");
    constexpr std::size_t max_shown = 10;
    for (std::size_t i = 0; i < std::min(names.size(), max_shown); ++i) {
      words += (i == 0 ? "" : ", ") + for_people(names[i]);
    }
    fail(words + (names.size() > max_shown ? ", ..." : ""));
  }
  if (std::find(found + 1, names.end(), name) != names.end()) {
    fail("several columns are called " + for_people(name) +
         ", expected one (--column takes a number)");
  }
  return static_cast<int>(found - names.begin()) + 1;
}

/// Sets the cells of this row; false if it is skipped for a missing value.
bool column_reader::take_cells() {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    auto const& [content, quoted] = table_.selected()[k];
    cells_[k].quoted = quoted;
    if (!take_cell(k, content)) return false;
  }
  return true;
}

/// Sets the cell of column `k`; false if its row is skipped.
bool column_reader::take_cell(std::size_t k, std::string_view content) {
  cell_value& cell = cells_[k];
  cell.parsed = cell.shown = content;
  if (keys_[k].kind == cell_kind::text) return true;
  cell.missing = false;
  if (options_.missing.what != missing_rule::choice::fail && means_missing(content)) {
    if (options_.missing.what == missing_rule::choice::skip) return false;
    cell.missing = options_.missing.what != missing_rule::choice::value;
    cell.parsed = cell.missing ? std::string_view("0") : options_.missing.number;
  } else if (options_.decimal_comma) {
    cell.parsed = with_point(content, cell.buffer);
  }
  return true;
}

/// A number with a decimal comma as one with a point. A point becomes a comma, and is refused.
std::string_view column_reader::with_point(std::string_view cell, std::string& to) const {
  if (cell.find_first_of(".,") == std::string_view::npos) return cell;
  to = cell;
  for (char& c : to) c = c == ',' ? '.' : c == '.' ? ',' : c;
  return to;
}

bool column_reader::is_number_here(std::string_view cell) const {
  std::string buffer;
  return is_number(options_.decimal_comma ? with_point(cell, buffer) : cell);
}

/// Without a column given, a single row of numbers and missing values is read whole; otherwise
/// notes which columns are not read.
void column_reader::look_along_row() {
  auto const& cells = table_.cells();
  if (given_ || cells.size() < 2) return;
  auto const number = [&](std::string_view cell) { return is_number_here(cell); };
  bool const may_be_sequence =
      rows_ == 1 && header_line_ == 0 && std::any_of(cells.begin(), cells.end(), number) &&
      std::all_of(cells.begin(), cells.end(),
                  [&](std::string_view cell) { return number(cell) || means_missing(cell); });
  if (may_be_sequence) {
    row_.assign(cells.begin(), cells.end());
  } else if (!options_.whole_rows &&
             (rows_ == 1 ? std::any_of(cells.begin() + 1, cells.end(), number) : !row_.empty())) {
    note(line_, "of " + std::to_string(cells.size()) + " columns the first is read" +
                    (options_.has_options ? " (see --column)" : ""));
  }
}

/// Notes that the last comment above the first row, or of a text without rows, may be a row: it has
/// as many cells, and a number where the keys are numbers.
void column_reader::look_at_comment() {
  if (!given_ || header_line_ > 0 || table_.comment().empty() || !notes_.empty()) return;
  std::string const text = table_.comment();
  byte_reader in(from_memory({std::as_bytes(std::span<char const>(text)), nullptr}), table_.name());
  bool const any_row = table_.columns() > 0;
  char const delimiter = any_row ? table_.rules_of_plain_rows().delimiter : options_.delimiter;
  table_reader comment(in, {comment_rule::none, delimiter, options_.decimal_comma, true, false});
  try {
    if (!comment.next() || (any_row && comment.columns() != table_.columns())) return;
    for (column_key const& key : keys_) {
      int const column = key.column.number;  // 0 if only a header would give it
      if (column < 1 || column > comment.columns()) return;
      std::string_view const cell = comment.cells()[static_cast<std::size_t>(column) - 1];
      if (key.kind == cell_kind::number && !is_number_here(cell)) return;
      if (key.kind == cell_kind::date && !parse_date(cell)) return;
    }
  } catch (file_error const&) {  // no row
    return;
  }
  note(table_.comment_line(),
       for_people(text) + " is skipped as a comment (--comments none reads it)");
}

bool column_reader::next_of_only_row() {
  if (!options_.whole_rows) return next_in_row();
  if (!row_.empty()) {
    note(line_, "the only row, of " + std::to_string(row_.size()) +
                    " numbers, stays whole: rows are sorted, not the numbers in them");
  }
  return false;
}

bool column_reader::next_in_row() {
  do {
    if (place_ + 1 >= row_.size()) return false;
  } while (!take_cell(0, row_[++place_]));
  return true;
}

void column_reader::note_end() {
  std::string_view const end = table_.missing_end();
  last_end_ = end.empty() ? "\n" : end;
}

void column_reader::note(std::uint64_t line, std::string const& words) {
  notes_.push_back(table_.name() + ":" + std::to_string(line) + ": " + words);
}

/// What may help with a cell that is refused; empty if nothing may.
std::string column_reader::hint_about(std::string_view cell, bool in_first) const {
  for (char const c : cell) {
    if (static_cast<unsigned char>(c) >= ' ') continue;
    if (c == '\r') return " (lines that end with only CR become lines by tr '\\r' '\\n')";
    return options_.has_options ? " (binary data are read by --format raw --dtype TYPE)" : "";
  }
  return options_.has_options ? hint_about_options(cell, in_first) : "";
}

/// The same for a cell that prints, where there are options.
std::string column_reader::hint_about_options(std::string_view cell, bool in_first) const {
  if (place_ > 0) return "; if only the first cell counts: --column 1";
  if (in_first && options_.header == header_rule::automatic && !by_name_) {
    return "; if this line is a header: --header yes";
  }
  if (cell.empty() || means_missing(cell)) {
    return "; --missing skip leaves out rows without a value (see --missing)";
  }
  return table_.comment_hint(cell);
}

std::string column_reader::named(std::size_t k) const {
  std::string const cell = for_people(cells_[k].shown);
  if (!stands_for_missing(k)) return cell;
  return cell + ", which --missing reads as " + for_people(cells_[k].parsed) + ",";
}

/// Whether the number of --missing is read in the place of this cell.
bool column_reader::stands_for_missing(std::size_t k) const {
  bool const by_number = options_.missing.what == missing_rule::choice::value;
  return by_number && cells_[k].parsed.data() == options_.missing.number.data();
}

void column_reader::refuse(std::string_view cell, std::size_t k,
                           std::string const& expected) const {
  bool const in_first = rows_ == (header_line_ == 0 ? 1u : 0u) && place_ == 0;
  std::string const where = in_first && table_.columns() > 1
                                ? "column " + std::to_string(keys_[k].column.number) + ": "
                                : "";
  std::string const hint = hint_about(cell, in_first);
  if (cell.empty()) fail(where + "an empty cell, expected " + expected + hint);
  std::string const what = means_missing(cell)                ? " means a missing value, expected "
                           : keys_[k].kind == cell_kind::date ? " is no date, expected "
                                                              : " is no number, expected ";
  fail(where + for_people(cell) + what + expected + hint);
}

}  // namespace libscan::apps
