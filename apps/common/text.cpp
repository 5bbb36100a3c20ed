// SPDX-License-Identifier: Apache-2.0
// Numbers from the cells of a column, of a given type or of the type that fits all of them.
#include <apps/common/text.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

bool is_header(table_reader const& table) {
  std::string_view const cell = table.cell();
  if (!table.first() || cell.empty()) return false;
  auto const c = static_cast<unsigned char>(cell[0]);
  if (c <= ' ' || c == 0x7f || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
    return false;
  }
  double ignored = 0;
  return parse_number(cell, ignored) == parse_outcome::no_number;
}

[[noreturn]] void refuse(table_reader const& table, std::string const& expected) {
  std::string_view const cell = table.cell();
  if (cell.empty()) table.fail("an empty cell, expected " + expected);
  bool binary = false;
  for (char const c : cell) binary = binary || static_cast<unsigned char>(c) < ' ';
  table.fail(for_people(cell) + " is no number, expected " + expected +
             (binary ? " (binary data are read by --format raw --dtype TYPE)" : ""));
}

template <class T>
void read_typed(table_reader& table, byte_buffer& values) {
  while (table.next()) {
    if (is_header(table)) continue;
    T value{};
    parse_outcome const result = parse_number(table.cell(), value);
    if (result == parse_outcome::number) {
      values.push(value);
      continue;
    }
    bool const below = std::is_unsigned_v<T> && is_negative_integer(table.cell());
    if (result == parse_outcome::out_of_range || below) {
      table.fail(for_people(table.cell()) + " is out of range, expected " + expected_number<T>());
    }
    refuse(table, expected_number<T>());
  }
}

/// Collects values as int64 while all are, as uint64 while all are, else as float64. Values read
/// before a change are converted: an integer rounds to the same double as its text does.
class untyped_column {
 public:
  explicit untyped_column(byte_buffer& values) : values_(values) {}

  void read(table_reader& table) {
    while (table.next()) {
      if (is_header(table)) continue;
      std::string_view const cell = table.cell();
      if (type_ == dtype::f64 || !add_integer(cell)) add_double(table, cell);
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
      return true;
    }
    std::uint64_t as_unsigned = 0;
    if (negative_ || parse_number(cell, as_unsigned) != parse_outcome::number) return false;
    type_ = dtype::u64;  // non-negative integers have the same bits
    values_.push(as_unsigned);
    return true;
  }

  void add_double(table_reader const& table, std::string_view cell) {
    double value = 0;
    parse_outcome const result = parse_number(cell, value);
    if (result == parse_outcome::no_number) refuse(table, "a number");
    if (result == parse_outcome::out_of_range) {
      table.fail(for_people(cell) + " is out of range, expected a float64");
    }
    if (type_ == dtype::i64) convert_all<std::int64_t>();
    if (type_ == dtype::u64) convert_all<std::uint64_t>();
    type_ = dtype::f64;
    values_.push(value);
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

  byte_buffer& values_;
  dtype type_ = dtype::i64;
  bool negative_ = false;
  std::vector<std::size_t> negative_zeros_;  // "-0" is the integer 0, but the double -0.0
};

}  // namespace

array read_text(byte_reader& in, std::optional<dtype> type, int column) {
  table_reader table(in, column);
  byte_buffer values;
  dtype found = dtype::i64;
  if (type) {
    found = *type;
    visit_dtype(found, [&](auto tag) { read_typed<typename decltype(tag)::type>(table, values); });
  } else {
    untyped_column untyped(values);
    untyped.read(table);
    found = untyped.type();
  }
  kept_bytes bytes = values.release();
  auto const count = static_cast<index_t>(bytes.bytes.size() / size_of(found));
  return {found, {count}, file_format::text, bytes.bytes, std::move(bytes.owner)};
}

}  // namespace libscan::apps
