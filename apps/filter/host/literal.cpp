// SPDX-License-Identifier: Apache-2.0
// Reading numbers without rounding them.
#include <apps/filter/host/literal.hpp>

#include <charconv>
#include <limits>

namespace libscan::inline v1 {
namespace {

constexpr std::uint64_t max_integer = std::numeric_limits<std::uint64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The value of a hexadecimal digit, or -1.
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// True if `text` continues at `at` with `word`, in any letter case.
bool continues(std::string_view text, std::size_t at, std::string_view word) {
  if (text.size() - at < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(text[at + i]) != word[i]) return false;
  }
  return true;
}

/// Appends one digit to the integer part.
void push_digit(number_literal& number, unsigned base, unsigned digit) {
  if (number.beyond || number.integer > (max_integer - digit) / base) {
    number.beyond = true;
  } else {
    number.integer = number.integer * base + digit;
  }
}

std::size_t match_hex(std::string_view text, std::size_t at, number_literal& number) {
  std::size_t end = at + 2;
  for (; end < text.size() && hex_value(text[end]) >= 0; ++end) {
    push_digit(number, 16, static_cast<unsigned>(hex_value(text[end])));
  }
  return end > at + 2 ? end : 0;
}

/// Splits digits x 10^exponent at the decimal point; `digits` are those of an integer.
void place_digits(std::string_view digits, std::int64_t exponent, number_literal& number) {
  auto const count = static_cast<std::int64_t>(digits.size());
  std::int64_t const integer_digits = count + exponent;
  for (std::int64_t i = 0; i < count; ++i) {
    auto const digit = static_cast<unsigned>(digits[static_cast<std::size_t>(i)] - '0');
    if (i < integer_digits) {
      push_digit(number, 10, digit);
    } else if (digit != 0) {
      number.fraction = true;
    }
  }
  // More than 20 zeros make no difference.
  for (std::int64_t i = count; i < integer_digits && !number.beyond && number.integer != 0; ++i) {
    push_digit(number, 10, 0);
  }
}

/// The exponent at text[at] ("e-12"), with its end in `end`; 0 if there is none. Saturates.
std::int64_t match_exponent(std::string_view text, std::size_t at, std::size_t& end) {
  constexpr std::int64_t most = 1'000'000'000;
  end = at;
  if (at >= text.size() || lower(text[at]) != 'e') return 0;
  std::size_t i = at + 1;
  bool const negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  std::int64_t value = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (value < most) value = 10 * value + (text[i] - '0');
    end = i + 1;
  }
  return negative ? -value : value;
}

std::size_t match_decimal(std::string_view text, std::size_t at, number_literal& number) {
  std::string digits;
  std::size_t end = at;
  for (; end < text.size() && is_digit(text[end]); ++end) digits += text[end];
  std::int64_t decimals = 0;
  if (end < text.size() && text[end] == '.') {
    for (++end; end < text.size() && is_digit(text[end]); ++end, ++decimals) digits += text[end];
  }
  if (digits.empty()) return 0;
  std::size_t const mantissa_end = end;
  std::int64_t const exponent = match_exponent(text, mantissa_end, end);
  place_digits(digits, exponent - decimals, number);
  return end;
}

}  // namespace

literal_match match_literal(std::string_view text) {
  literal_match match;
  number_literal& number = match.number;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    number.negative = text[0] == '-';
    at = 1;
  }
  if (continues(text, at, "inf")) {
    number.infinite = true;
    match.length = at + (continues(text, at, "infinity") ? 8 : 3);
  } else if (continues(text, at, "0x")) {
    match.length = match_hex(text, at, number);
  } else {
    match.length = match_decimal(text, at, number);
  }
  number.text = text.substr(0, match.length);
  return match;
}

template <class T>
T number_literal::rounded() const {
  T value{};
  std::string_view digits = text;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  if (infinite) {
    value = std::numeric_limits<T>::infinity();
  } else if (continues(digits, 0, "0x")) {
    // Every 64-bit integer is within the range of either float type.
    value = beyond ? std::numeric_limits<T>::infinity() : static_cast<T>(integer);
  } else {
    auto const result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      value = beyond ? std::numeric_limits<T>::infinity() : T(0);
    }
  }
  return negative ? -value : value;
}

template float number_literal::rounded<float>() const;
template double number_literal::rounded<double>() const;

}  // namespace libscan::inline v1
