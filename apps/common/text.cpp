// SPDX-License-Identifier: Apache-2.0
// Numbers from the cells of a column, of a given type or of the type that fits all.
#include <apps/common/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/cells.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/table.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Walks down a column below its header, or along the only row.
class column_reader {
 public:
  column_reader(byte_reader& in, read_options const& options)
      : table_(in, options.column.value_or(1), options.comments), options_(options) {}

  bool next() {
    if (place_ > 0) return next_in_row();
    if (!table_.next()) return rows_ == 1 && next_of_only_row();
    line_ = table_.line();
    if (table_.first() && is_header() && !skip_header()) return false;
    cell_ = table_.cell();
    if (++rows_ <= 2) look_along_row();
    return true;
  }

  std::string_view cell() const { return cell_; }
  std::uint64_t line() const { return line_; }
  std::uint64_t header_line() const { return header_line_; }
  std::vector<std::string> const& notes() const { return notes_; }

  [[noreturn]] void fail(std::string const& reason) const { table_.fail_at(line_, reason); }
  [[noreturn]] void fail_at(std::uint64_t line, std::string const& reason) const {
    table_.fail_at(line, reason);
  }

  /// Throws for a cell that is no number.
  [[noreturn]] void refuse(std::string const& expected) const { refuse(cell_, expected); }

 private:
  /// The rule of docs/text.md.
  bool is_header() const {
    if (options_.header != header_rule::automatic) return options_.header == header_rule::present;
    auto const& cells = table_.cells();
    if (std::any_of(cells.begin(), cells.end(), is_number)) return false;
    bool const plain = !table_.quoted() && cells.size() == 1;
    return (plain ? is_plain_name(table_.cell()) : is_name_or_sign(table_.cell())) &&
           is_printable(table_.text());
  }

  /// Moves to the row below the header; false if there is none. A header that is only guessed has
  /// rows below it.
  bool skip_header() {
    header_line_ = line_;
    std::string const words(table_.text());
    std::string const cell(table_.cell());
    bool const more = table_.next();
    if (options_.header == header_rule::automatic) {
      if (!more) refuse(cell, "a number");
      note(header_line_, for_people(words) + " is read as a header (--header yes or no decides)");
    }
    line_ = table_.line();
    return more;
  }

  /// Without a column given, a single row of numbers is read whole; otherwise notes which columns
  /// are not read.
  void look_along_row() {
    auto const& cells = table_.cells();
    if (options_.column || cells.size() < 2) return;
    bool const may_be_sequence =
        rows_ == 1 && header_line_ == 0 && std::all_of(cells.begin(), cells.end(), is_number);
    if (may_be_sequence) {
      row_.assign(cells.begin(), cells.end());
    } else if (!options_.whole_rows &&
               (rows_ == 1 ? std::any_of(cells.begin() + 1, cells.end(), is_number)
                           : !row_.empty())) {
      note(line_,
           "of " + std::to_string(cells.size()) + " columns the first is read (see --column)");
    }
  }

  bool next_of_only_row() {
    if (!options_.whole_rows) return next_in_row();
    if (!row_.empty()) {
      note(line_, "the only row, of " + std::to_string(row_.size()) +
                      " numbers, stays whole: rows are sorted, not the numbers in them");
    }
    return false;
  }

  bool next_in_row() {
    if (place_ + 1 >= row_.size()) return false;
    cell_ = row_[++place_];
    return true;
  }

  void note(std::uint64_t line, std::string const& words) {
    notes_.push_back(table_.name() + ":" + std::to_string(line) + ": " + words);
  }

  [[noreturn]] void refuse(std::string_view cell, std::string const& expected) const {
    bool const in_first = rows_ == (header_line_ == 0 ? 1u : 0u) && place_ == 0;
    std::string const where = in_first && table_.columns() > 1
                                  ? "column " + std::to_string(options_.column.value_or(1)) + ": "
                                  : "";
    std::string hint;
    if (in_first && options_.header == header_rule::automatic) {
      hint = "; if this line is a header: --header yes";
    } else {
      hint = table_.comment_hint(cell);
    }
    if (cell.empty()) fail(where + "an empty cell, expected " + expected + hint);
    for (char const c : cell) {
      if (static_cast<unsigned char>(c) >= ' ') continue;
      hint = c == '\r' ? " (lines that end with only CR become lines by tr '\\r' '\\n')"
                       : " (binary data are read by --format raw --dtype TYPE)";
    }
    std::string const what =
        means_missing(cell) ? " means a missing value, expected " : " is no number, expected ";
    fail(where + for_people(cell) + what + expected + hint);
  }

  table_reader table_;
  read_options const& options_;
  std::string_view cell_;
  std::uint64_t line_ = 0;
  std::uint64_t rows_ = 0;  // without the header
  std::uint64_t header_line_ = 0;
  std::vector<std::string> row_;  // the first row, if it may be a sequence
  std::size_t place_ = 0;         // in it, if no other row follows
  std::vector<std::string> notes_;
};

template <class T>
void read_typed(column_reader& in, byte_buffer& values) {
  while (in.next()) {
    T value{};
    parse_outcome const result = parse_number(in.cell(), value);
    bool const below = std::is_unsigned_v<T> && is_negative_integer(in.cell());
    if (result == parse_outcome::number || (below && is_zero_integer(in.cell()))) {
      values.push(value);
    } else if (result == parse_outcome::out_of_range || below) {
      in.fail(for_people(in.cell()) + " is out of range, expected " + expected_number<T>());
    } else {
      in.refuse(expected_number<T>());
    }
  }
}

/// Integers up to here are exact in float64.
constexpr std::int64_t max_exact = std::int64_t{1} << 53;

/// Whether `cell`, read as `value`, is an integer that float64 can only hold rounded.
bool is_rounded_integer(std::string_view cell, double value) {
  if (!(std::abs(value) >= static_cast<double>(max_exact)) || std::isinf(value)) return false;
  if (cell[0] == '+' || cell[0] == '-') cell.remove_prefix(1);
  if (!std::all_of(cell.begin(), cell.end(), is_digit)) return false;
  cell.remove_prefix(std::min(cell.find_first_not_of('0'), cell.size()));
  char exact[320];  // the largest float64 has 309 digits
  std::snprintf(exact, sizeof exact, "%.0f", std::abs(value));
  return cell != exact;
}

/// A cell and its place.
struct cell_note {
  std::uint64_t line = 0;  // 0: none yet
  std::string text;
};

/// Collects values as int64 while all fit, as uint64 while all fit, else as float64. Values read
/// before a change are converted, and must stay the same.
class untyped_column {
 public:
  untyped_column(column_reader& in, byte_buffer& values) : in_(in), values_(values) {}

  void read() {
    while (in_.next()) {
      std::string_view const cell = in_.cell();
      if (type_ == dtype::f64 || !add_integer(cell)) add_double(cell);
    }
  }

  dtype type() const { return type_; }

 private:
  bool add_integer(std::string_view cell) {
    std::int64_t as_signed = 0;
    parse_outcome const result = parse_number(cell, as_signed);
    if (result == parse_outcome::no_number) return false;
    if (result == parse_outcome::number && (as_signed >= 0 || type_ == dtype::i64)) {
      if (as_signed == 0 && cell[0] == '-') negative_zeros_.push_back(count());
      negative_ = negative_ || as_signed < 0;
      values_.push(as_signed);
      bool const large = as_signed > max_exact || as_signed < -max_exact;
      if (large) note_rounded(cell, static_cast<double>(as_signed));
      return true;
    }
    std::uint64_t as_unsigned = 0;
    if (negative_ || parse_number(cell, as_unsigned) != parse_outcome::number) return false;
    type_ = dtype::u64;  // non-negative integers have the same bits
    values_.push(as_unsigned);
    note_rounded(cell, static_cast<double>(as_unsigned));
    return true;
  }

  /// Keeps the first integer that would not survive a change to float64.
  void note_rounded(std::string_view cell, double value) {
    if (rounded_.line == 0 && is_rounded_integer(cell, value)) {
      rounded_ = {in_.line(), for_people(cell)};
    }
  }

  void add_double(std::string_view cell) {
    double value = 0;
    parse_outcome const result = parse_number(cell, value);
    if (result == parse_outcome::no_number) in_.refuse("a number");
    if (result == parse_outcome::out_of_range) {
      in_.fail(for_people(cell) + " is out of range, expected a float64");
    }
    if (type_ != dtype::f64) {
      reason_ = {in_.line(), for_people(cell)};
      note_rounded(cell, value);
      if (type_ == dtype::i64) convert_all<std::int64_t>();
      if (type_ == dtype::u64) convert_all<std::uint64_t>();
      type_ = dtype::f64;
    } else {
      note_rounded(cell, value);
    }
    if (rounded_.line != 0) refuse_rounded();
    values_.push(value);
  }

  [[noreturn]] void refuse_rounded() const {
    std::string because;
    if (rounded_.line != reason_.line) {
      because =
          ", which the column is for " + reason_.text + " in line " + std::to_string(reason_.line);
    }
    in_.fail_at(rounded_.line, "the integer " + rounded_.text + " is not exact in float64" +
                                   because + "; --dtype float64 rounds it");
  }

  template <class From>
  void convert_all() {
    double* const doubles = reinterpret_cast<double*>(values_.data());
    for (std::size_t i = 0; i < count(); ++i) {
      From before;
      std::memcpy(&before, values_.data() + 8 * i, 8);
      double const after = static_cast<double>(before);
      std::memcpy(doubles + i, &after, 8);
    }
    for (std::size_t const i : negative_zeros_) doubles[i] = -0.0;
  }

  std::size_t count() const { return values_.size() / 8; }

  column_reader& in_;
  byte_buffer& values_;
  dtype type_ = dtype::i64;
  bool negative_ = false;
  std::vector<std::size_t> negative_zeros_;  // "-0" is the integer 0, but the double -0.0
  cell_note rounded_;                        // the first integer that is not exact in float64
  cell_note reason_;                         // what made the column float64
};

}  // namespace

array read_text(byte_reader& in, read_options const& options) {
  column_reader cells(in, options);
  byte_buffer values(in.name());
  dtype found = dtype::i64;
  if (options.type) {
    found = *options.type;
    visit_item_type(found,
                    [&](auto tag) { read_typed<typename decltype(tag)::type>(cells, values); });
  } else {
    untyped_column untyped(cells, values);
    untyped.read();
    found = untyped.type();
  }
  kept_bytes bytes = values.release();
  array result{found,
               {static_cast<index_t>(bytes.bytes.size() / size_of(found))},
               file_format::text,
               bytes.bytes,
               std::move(bytes.owner),
               cells.header_line()};
  result.notes = cells.notes();
  return result;
}

std::vector<std::string> read_lines(std::string const& path) {
  byte_reader in = plain_content(byte_reader(open_file(path, nullptr), input_name(path)), false);
  table_reader table(in, 1, comment_rule::leading);
  std::vector<std::string> lines;
  for (std::uint64_t taken = 0; table.next_line();) {
    taken += table.text().size() + 2 * sizeof(lines[0]);  // twice while the vector grows
    require_memory(memory_held() + taken, "reading " + in.name());
    lines.emplace_back(table.text());
  }
  return lines;
}

}  // namespace libscan::apps
