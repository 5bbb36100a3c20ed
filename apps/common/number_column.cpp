// SPDX-License-Identifier: Apache-2.0
// Parses cells, and widens what it has so far if a cell demands it.
#include <apps/common/number_column.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <apps/common/number.hpp>

namespace libscan::apps {
namespace {

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

}  // namespace

number_column::number_column(column_reader& in, std::size_t k, std::optional<dtype> type,
                             std::string name)
    : in_(in),
      k_(k),
      add_(&number_column::add_untyped),
      values_(std::move(name)),
      type_(type.value_or(dtype::i64)),
      typed_(type.has_value()) {
  if (!type) return;
  visit_item_type(type_,
                  [this]<class T>(std::type_identity<T>) { add_ = &number_column::add_typed<T>; });
}

plain_number_rule number_column::rule_of_plain_numbers() const {
  plain_number_rule rule;
  if (type_ == dtype::f32 || type_ == dtype::f64) {
    rule.what =
        type_ == dtype::f32 ? plain_number_rule::kind::float32 : plain_number_rule::kind::float64;
    rule.large_integers = typed_;
  } else if (typed_) {
    visit_item_type(type_, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) {
        rule.min = static_cast<std::int64_t>(std::numeric_limits<T>::min());
        constexpr bool wide = std::is_same_v<T, std::uint64_t>;
        if (!wide) rule.max = static_cast<std::int64_t>(std::numeric_limits<T>::max());
      }
    });
  } else {
    rule.exact = rounded_.line == 0;  // the first that float64 rounds is noted
    if (type_ == dtype::u64) rule.min = 0;
    rule.minus_zero = false;
  }
  return rule;
}

void number_column::add_plain(std::span<std::uint64_t const> numbers) {
  std::byte* const to = values_.grow(numbers.size() * size_of(type_)).data();
  visit_item_type(type_, [&]<class T>(std::type_identity<T>) {
    T* at = reinterpret_cast<T*>(to);
    for (std::uint64_t const number : numbers) std::memcpy(at++, &number, sizeof(T));  // low bits
  });
  pass_plain(numbers);
}

void number_column::pass_plain(std::span<std::uint64_t const> numbers) {
  if (typed_ || type_ != dtype::i64) return;
  std::uint64_t any = 0;
  for (std::uint64_t const number : numbers) any |= number;
  negative_ = negative_ || static_cast<std::int64_t>(any) < 0;
}

array number_column::release() {
  negative_zeros_.clear();
  kept_bytes bytes = values_.release();
  return {type_,
          {static_cast<index_t>(bytes.bytes.size() / size_of(type_))},
          file_format::text,
          bytes.bytes,
          std::move(bytes.owner)};
}

template <class T>
void number_column::add_typed() {
  std::string_view const cell = in_.cell(k_);
  T value{};
  parse_outcome const result = parse_number(cell, value);
  bool const below = std::is_unsigned_v<T> && is_negative_integer(cell);
  if (result == parse_outcome::number || (below && is_zero_integer(cell))) {
    values_.push(value);
  } else if (result == parse_outcome::out_of_range || below) {
    in_.fail(in_.named(k_) + " is out of range, expected " + expected_number<T>());
  } else {
    in_.refuse(k_, expected_number<T>());
  }
}

void number_column::add_untyped() {
  std::string_view const cell = in_.cell(k_);
  if (type_ == dtype::f64 || !add_integer(cell)) add_double(cell);
}

bool number_column::add_integer(std::string_view cell) {
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
void number_column::note_rounded(std::string_view cell, double value) {
  if (rounded_.line == 0 && is_rounded_integer(cell, value)) {
    rounded_ = {in_.line(), in_.named(k_)};
  }
}

void number_column::add_double(std::string_view cell) {
  double value = 0;
  parse_outcome const result = parse_number(cell, value);
  if (result == parse_outcome::no_number) in_.refuse(k_, "a number");
  if (result == parse_outcome::out_of_range) {
    in_.fail(in_.named(k_) + " is out of range, expected a float64");
  }
  if (type_ != dtype::f64) {
    reason_ = {in_.line(), in_.named(k_)};
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

void number_column::refuse_rounded() const {
  std::string because;
  if (rounded_.line != reason_.line) {
    because =
        ", which the column is for " + reason_.text + " in line " + std::to_string(reason_.line);
  }
  in_.fail_at(rounded_.line, "the integer " + rounded_.text + " is not exact in float64" + because +
                                 "; --dtype float64 rounds it");
}

template <class From>
void number_column::convert_all() {
  double* const doubles = reinterpret_cast<double*>(values_.data());
  for (std::size_t i = 0; i < count(); ++i) {
    From before;
    std::memcpy(&before, values_.data() + 8 * i, 8);
    double const after = static_cast<double>(before);
    std::memcpy(doubles + i, &after, 8);
  }
  for (std::size_t const i : negative_zeros_) doubles[i] = -0.0;
}

}  // namespace libscan::apps
