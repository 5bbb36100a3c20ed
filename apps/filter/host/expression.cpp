// SPDX-License-Identifier: Apache-2.0
// Reading numbers without rounding them, and recursive descent over the grammar in expression.hpp.
#include <apps/filter/host/expression.hpp>

#include <charconv>
#include <concepts>
#include <limits>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/half.hpp>

namespace libscan::inline v1 {

namespace {

constexpr std::uint64_t max_integer = std::numeric_limits<std::uint64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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
  constexpr std::int64_t max_exponent = 1'000'000'000;
  end = at;
  if (at >= text.size() || lower(text[at]) != 'e') return 0;
  std::size_t i = at + 1;
  bool const negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  std::int64_t value = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (value < max_exponent) value = 10 * value + (text[i] - '0');
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

namespace {

/// A magnitude, rounded to the nearest T.
template <std::floating_point T>
T magnitude_of(number_literal const& number, std::string_view digits) {
  if (number.infinite) return std::numeric_limits<T>::infinity();
  T const too_large = std::numeric_limits<T>::infinity();
  if (continues(digits, 0, "0x")) {
    // Every 64-bit integer is within the range of either float type.
    return number.beyond ? too_large : static_cast<T>(number.integer);
  }
  T value{};
  auto const result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range) return number.beyond ? too_large : T(0);
  return value;
}

}  // namespace

template <class T>
T number_literal::rounded() const {
  if constexpr (half_float<T>) {
    // By way of double, like a number of Python that NumPy compares with 16-bit floats.
    return T(rounded<double>());
  } else {
    std::string_view digits = text;
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
    T const magnitude = magnitude_of<T>(*this, digits);
    return negative ? -magnitude : magnitude;
  }
}

template float number_literal::rounded<float>() const;
template double number_literal::rounded<double>() const;
template float16 number_literal::rounded<float16>() const;
template bfloat16 number_literal::rounded<bfloat16>() const;

namespace {

using kind = expression::kind;

struct relation {
  std::string_view text;
  kind what;
};

// Longer ones first: "<" is a beginning of "<=".
constexpr relation relations[] = {{"<=", kind::less_equal}, {">=", kind::greater_equal},
                                  {"==", kind::equal},      {"!=", kind::not_equal},
                                  {"<", kind::less},        {">", kind::greater}};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Characters that together make one word or number.
bool is_wordy(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || c == '.';
}

/// Whether a byte of UTF-8 goes on with a character.
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

}  // namespace

/// Fills an expression from its text.
class expression_parser {
 public:
  explicit expression_parser(expression& tree) : tree_(tree), text_(tree.text_) {}

  void parse() {
    parse_disjunction();
    skip_space();
    if (at_ != text_.size()) fail("expected \"and\", \"or\" or the end");
  }

 private:
  int parse_disjunction() {
    int left = parse_conjunction();
    while (int const column = take_word("or")) {
      int const right = parse_conjunction();
      left = add({kind::disjunction, left, right, {}, column});
    }
    return left;
  }

  int parse_conjunction() {
    int left = parse_factor();
    while (int const column = take_word("and")) {
      int const right = parse_factor();
      left = add({kind::conjunction, left, right, {}, column});
    }
    return left;
  }

  int parse_factor() {
    if (++depth_ > expression::max_depth) {
      fail("nested deeper than " + std::to_string(expression::max_depth) + " levels");
    }
    int const result = parse_factor_here();
    --depth_;
    return result;
  }

  int parse_factor_here() {
    if (int const column = take_word("not")) {
      int const operand = parse_factor();
      return add({kind::negation, operand, -1, {}, column});
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') {
      int const opened = column();
      ++at_;
      int const inner = parse_disjunction();
      skip_space();
      if (at_ == text_.size() || text_[at_] != ')') {
        fail("expected \")\" for the \"(\" of column " + std::to_string(opened));
      }
      ++at_;
      return inner;
    }
    return parse_test();
  }

  int parse_test() {
    if (int const column = take_word("nan")) return add({kind::nan, -1, -1, {}, column});
    if (int const column = take_word("finite")) return add({kind::finite, -1, -1, {}, column});
    if (int const column = take_word("bits")) {
      return add({kind::bits, -1, -1, parse_mask(), column});
    }
    skip_space();
    for (auto const& [symbol, what] : relations) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      int const here = column();
      at_ += symbol.size();
      return add({what, -1, -1, parse_number("a number after " + in_quotes(symbol)), here});
    }
    fail(
        "expected a comparison (< <= > >= == !=), \"nan\", \"finite\", \"bits\", \"not\" or \"(\"");
  }

  number_literal parse_number(std::string const& expected) {
    skip_space();
    literal_match match = match_literal(text_.substr(at_));
    std::size_t const end = at_ + match.length;
    bool const run_on = end < text_.size() && is_wordy(text_[end]);
    if (match.length == 0 || run_on) fail("expected " + expected);
    at_ = end;
    return std::move(match.number);
  }

  number_literal parse_mask() {
    std::string const expected = "an integer >= 0 after \"bits\"";
    skip_space();
    std::size_t const start = at_;
    number_literal mask = parse_number(expected);
    if (mask.negative || mask.infinite || mask.fraction || mask.beyond) {
      at_ = start;
      fail("expected " + expected + ", of at most 64 bits");
    }
    return mask;
  }

  int add(expression::node node) {
    if (tree_.nodes_.size() == expression::max_nodes) {
      tree_.fail(node.column,
                 "more than " + std::to_string(expression::max_nodes) + " tests and operations");
    }
    tree_.nodes_.push_back(std::move(node));
    return static_cast<int>(tree_.nodes_.size()) - 1;
  }

  /// Consumes `word`, if it comes next; returns its column, or 0 if it does not.
  int take_word(std::string_view word) {
    skip_space();
    std::string_view const next = text_.substr(at_, word.size());
    if (next.size() < word.size()) return 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (lower(next[i]) != word[i]) return 0;
    }
    std::size_t const end = at_ + word.size();
    if (end < text_.size() && is_wordy(text_[end])) return 0;
    int const here = column();
    at_ = end;
    return here;
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  int column() const { return static_cast<int>(at_) + 1; }

  /// The text at the current place, for messages.
  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    std::size_t end = at_ + 1;
    bool const signed_word =
        (text_[at_] == '-' || text_[at_] == '+') && end < text_.size() && is_wordy(text_[end]);
    if (is_wordy(text_[at_]) || signed_word) {
      while (end < text_.size() && is_wordy(text_[end])) ++end;
    }
    while (end < text_.size() && is_continuation(text_[end])) ++end;
    return in_quotes(text_.substr(at_, end - at_));
  }

  [[noreturn]] void fail(std::string const& words) {
    skip_space();
    tree_.fail(column(), words + ", found " + found());
  }

  expression& tree_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

expression::expression(std::string_view text) : text_(text) { expression_parser(*this).parse(); }

void expression::fail(int column, std::string const& words) const {
  throw invalid_argument("predicate " + in_quotes(text_) + ", column " + std::to_string(column) +
                         ": " + words);
}

}  // namespace libscan::inline v1
