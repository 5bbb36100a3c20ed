// SPDX-License-Identifier: Apache-2.0
// Numbers from the cells of a column, of a given type or of the type that fits all of them.
#include <apps/common/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

bool is_number(std::string_view cell) {
  double ignored = 0;
  return parse_number(cell, ignored) != parse_outcome::no_number;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_with_letter(std::string_view cell) {
  auto const c = static_cast<unsigned char>(cell[0]);
  auto const second = static_cast<unsigned char>(cell.size() > 1 ? cell[1] : 0);
  if (c < 0x80) return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  // In UTF-8 these lead to signs: Latin-1's, a minus and other mathematics, wide forms.
  bool const sign = c <= 0xc2 || (c == 0xe2 && second >= 0x80 && second < 0xb0) ||
                    (c == 0xe3 && second == 0x80) || (c == 0xef && second >= 0xb8);
  return !sign;
}

/// What tables hold where a value is missing.
bool means_missing(std::string_view cell) {
  std::string upper(cell.substr(0, 5));
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper == "NA" || upper == "N/A" || upper == "NULL";
}

/// The rule stated at `read_array`.
bool looks_like_header(table_reader const& table) {
  auto const& cells = table.first_cells();
  std::string_view const cell = table.cell();
  if (cell.empty() || means_missing(cell) || std::any_of(cells.begin(), cells.end(), is_number)) {
    return false;
  }
  if (begins_with_letter(cell)) return true;
  auto const c = static_cast<unsigned char>(cell[0]);
  bool const begins_as_number = c <= ' ' || c == 0x7f || c == '+' || c == '-' || c == '.';
  return (table.quoted() || cells.size() > 1) && !begins_as_number &&
         std::none_of(cell.begin(), cell.end(), is_digit);
}

/// Walks down a column below its header.
class column_reader {
 public:
  column_reader(byte_reader& in, int column, header_rule rule)
      : table_(in, column), column_(column), rule_(rule) {}

  bool next() {
    if (!table_.next()) return false;
    if (!table_.first() || !is_header()) return true;
    header_line_ = table_.line();
    return table_.next();
  }

  std::string_view cell() const { return table_.cell(); }
  table_reader const& table() const { return table_; }
  std::uint64_t header_line() const { return header_line_; }

  /// Throws for a cell that is no number.
  [[noreturn]] void refuse(std::string const& expected) const {
    std::string const where = table_.first() && table_.first_cells().size() > 1
                                  ? "column " + std::to_string(column_) + ": "
                                  : "";
    std::string hint;
    if (table_.first() && rule_ == header_rule::automatic) {
      hint = "; if this line is a header: --header yes";
    }
    if (cell().empty()) table_.fail(where + "an empty cell, expected " + expected + hint);
    for (char const c : cell()) {
      if (static_cast<unsigned char>(c) >= ' ') continue;
      hint = " (binary data are read by --format raw --dtype TYPE)";
    }
    table_.fail(where + for_people(cell()) + " is no number, expected " + expected + hint);
  }

 private:
  bool is_header() const {
    return rule_ == header_rule::present ||
           (rule_ == header_rule::automatic && looks_like_header(table_));
  }

  table_reader table_;
  int column_;
  header_rule rule_;
  std::uint64_t header_line_ = 0;
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
      in.table().fail(for_people(in.cell()) + " is out of range, expected " + expected_number<T>());
    } else {
      in.refuse(expected_number<T>());
    }
  }
}

/// Integers up to here are exact in float64.
constexpr std::int64_t most_exact = std::int64_t{1} << 53;

/// Whether `cell`, read as `value`, is an integer that float64 only holds rounded.
bool is_rounded_integer(std::string_view cell, double value) {
  if (!(std::abs(value) >= static_cast<double>(most_exact)) || std::isinf(value)) return false;
  if (cell[0] == '+' || cell[0] == '-') cell.remove_prefix(1);
  if (!std::all_of(cell.begin(), cell.end(), is_digit)) return false;
  cell.remove_prefix(std::min(cell.find_first_not_of('0'), cell.size()));
  char exact[320];  // the largest float64 has 309 digits
  std::snprintf(exact, sizeof exact, "%.0f", std::abs(value));
  return cell != exact;
}

/// A cell and where it stands.
struct cell_note {
  std::uint64_t line = 0;  // 0: none yet
  std::string text;
};

/// Collects values as int64 while all are, as uint64 while all are, else as float64. Values read
/// before a change are converted, and must be the same afterwards.
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
      bool const large = as_signed > most_exact || as_signed < -most_exact;
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
      rounded_ = {in_.table().line(), for_people(cell)};
    }
  }

  void add_double(std::string_view cell) {
    double value = 0;
    parse_outcome const result = parse_number(cell, value);
    if (result == parse_outcome::no_number) in_.refuse("a number");
    if (result == parse_outcome::out_of_range) {
      in_.table().fail(for_people(cell) + " is out of range, expected a float64");
    }
    if (type_ != dtype::f64) {
      reason_ = {in_.table().line(), for_people(cell)};
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
    in_.table().fail_at(rounded_.line, "the integer " + rounded_.text + " is not exact in float64" +
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

array read_text(byte_reader& in, std::optional<dtype> type, int column, header_rule header) {
  column_reader cells(in, column, header);
  byte_buffer values;
  dtype found = dtype::i64;
  if (type) {
    found = *type;
    visit_dtype(found, [&](auto tag) { read_typed<typename decltype(tag)::type>(cells, values); });
  } else {
    untyped_column untyped(cells, values);
    untyped.read();
    found = untyped.type();
  }
  kept_bytes bytes = values.release();
  auto const count = static_cast<index_t>(bytes.bytes.size() / size_of(found));
  return {
      found, {count}, file_format::text, bytes.bytes, std::move(bytes.owner), cells.header_line()};
}

}  // namespace libscan::apps
