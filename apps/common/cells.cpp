// SPDX-License-Identifier: Apache-2.0
// Words in cells: numbers, missing values, names, dates.
#include <apps/common/cells.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include <apps/common/number.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {

namespace {

constexpr std::string_view missing_signs[] = {
    "", "-", "--", "---", ".", "..", "...", "?", "*", "\u2013", "\u2014", "\u2212", "\u2026"};
/// Without the punctuation in them: "N/A", "n.a." and "<NA>" are "NA".
constexpr std::string_view missing_words[] = {
    "NA",      "ND",           "NULL",    "NONE",    "NIL",          "NAT",
    "MISSING", "MISSINGVALUE", "NODATA",  "NOVALUE", "NOTAVAILABLE", "NOTAPPLICABLE",
    "UNDEF",   "UNDEFINED",    "UNKNOWN", "NOTHING", "EMPTY",        "NAINTEGER",
    "NAREAL",  "NACHARACTER"};
constexpr std::string_view missing_numbers[] = {"\\N",     "1.#QNAN",  "-1.#QNAN",
                                                "1.#IND",  "-1.#IND",  "1.#INF",
                                                "-1.#INF", "NAN(IND)", "-NAN(IND)"};
/// Those that end neither in '!' nor in '?'. A blank and more words may follow.
constexpr std::string_view spreadsheet_errors[] = {
    "#N/A", "#N/D", "#N/B", "#I/T", "#NA", "#ND", "#NV", "#\u041d/\u0414", "#GETTING_DATA"};
constexpr std::string_view truth_words[] = {"TRUE", "FALSE", "YES", "NO", "ON", "OFF"};

std::string in_capitals(std::string_view word) {
  std::string capitals(word);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return capitals;
}

template <std::size_t N>
bool is_one_of(std::string_view word, std::string_view const (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// The characters of Unicode beyond ASCII that are a zero; those of one to nine follow each.
constexpr char32_t zeros[] = {
    0x660,   0x6f0,   0x7c0,   0x966,   0x9e6,   0xa66,   0xae6,   0xb66,   0xbe6,   0xc66,
    0xce6,   0xd66,   0xde6,   0xe50,   0xed0,   0xf20,   0x1040,  0x1090,  0x17e0,  0x1810,
    0x1946,  0x19d0,  0x1a80,  0x1a90,  0x1b50,  0x1bb0,  0x1c40,  0x1c50,  0xa620,  0xa8d0,
    0xa900,  0xa9d0,  0xa9f0,  0xaa50,  0xabf0,  0xff10,  0x104a0, 0x10d30, 0x11066, 0x110f0,
    0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950,
    0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2,
    0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0};

/// The first and the last of consecutive characters that are numbers but no digits: fractions,
/// Roman and circled numbers, infinity. Superscripts are not among them: they are in units such as
/// m².
constexpr char32_t numerals[][2] = {{0xbc, 0xbe},     {0x2150, 0x2188}, {0x221e, 0x221e},
                                    {0x2460, 0x249b}, {0x24ea, 0x24ff}, {0x2776, 0x2793},
                                    {0x3007, 0x3007}, {0x3021, 0x3029}};

/// Whether a text in UTF-8 begins with a number beyond ASCII: a digit of another script, or one of
/// `numerals`.
bool begins_with_digit(std::string_view text) {
  std::size_t const length = printable_length(text, 0);
  if (length < 2) return false;
  auto code = static_cast<char32_t>(static_cast<unsigned char>(text[0]) & (0x7fu >> length));
  for (char const c : text.substr(1, length - 1)) {
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  }
  return std::any_of(std::begin(zeros), std::end(zeros),
                     [code](char32_t zero) { return code >= zero && code - zero < 10; }) ||
         std::any_of(std::begin(numerals), std::end(numerals),
                     [code](auto const& some) { return some[0] <= code && code <= some[1]; });
}

bool has_digit(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (is_digit(text[0]) || begins_with_digit(text)) return true;
  }
  return false;
}

bool is_ascii_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// A word in capitals, as an error that a spreadsheet shows in place of a number.
bool is_spreadsheet_error(std::string_view word) {
  if (word.starts_with("ERR:")) return true;  // LibreOffice's
  if (!word.starts_with('#')) return false;
  std::string_view const first = word.substr(0, word.find(' '));
  bool const ends_in_sign =
      word.size() > 2 && first == word && (word.ends_with('!') || word.ends_with('?'));
  return ends_in_sign || is_one_of(first, spreadsheet_errors);
}

/// A word without the brackets around it and the punctuation in it.
std::string without_punctuation(std::string_view word) {
  constexpr std::string_view opening = "<([{", closing = ">)]}";
  std::size_t const bracket = word.size() < 3 ? std::string_view::npos : opening.find(word.front());
  if (bracket != std::string_view::npos && word.back() == closing[bracket]) {
    word = word.substr(1, word.size() - 2);
  }
  std::string letters(word);
  std::erase_if(letters, [](char c) { return std::string_view("./\\_- ").find(c) < 6; });
  return letters;
}

/// Whether a word is the remainder of a number, or a number with letters that look like digits.
bool is_nearly_number(std::string_view cell) {
  std::string const letters = in_capitals(cell.substr(
      0, static_cast<std::size_t>(std::find_if_not(cell.begin(), cell.end(), is_ascii_letter) -
                                  cell.begin())));
  if (letters == "NAN" || letters == "INF" || letters == "INFINITY") return true;
  std::string digits(cell);
  for (char& c : digits) {
    if (c == 'O' || c == 'o') c = '0';
    if (c == 'I' || c == 'l') c = '1';
  }
  return is_number(digits) || is_number(std::string("1").append(cell));
}

bool may_be_name(std::string_view cell) {
  std::string const word = in_capitals(cell.substr(0, 32));
  return !means_missing(cell) && !is_one_of(word, truth_words) && !is_nearly_number(cell);
}

}  // namespace

bool begins_with_letter(std::string_view text) {
  auto const c = static_cast<unsigned char>(text[0]);
  auto const second = static_cast<unsigned char>(text.size() > 1 ? text[1] : 0);
  if (c < 0x80) return is_ascii_letter(text[0]);
  // In UTF-8 these begin signs: those of Latin-1, marks above letters, a minus and other
  // mathematics, wide forms, pictures.
  bool const sign = c <= 0xc2 || c == 0xcc || (c == 0xcd && second < 0xb0) ||
                    (c == 0xe2 && second >= 0x80 && second < 0xb0) ||
                    (c == 0xe3 && second == 0x80) || (c == 0xef && second >= 0xb8) ||
                    (c == 0xf0 && second >= 0x9d);
  return !sign && !begins_with_digit(text);
}

bool is_number(std::string_view cell) {
  double ignored = 0;
  return parse_number(cell, ignored) != parse_outcome::no_number;
}

bool means_missing(std::string_view cell) {
  constexpr std::size_t longest = 32;
  if (cell.size() > longest) return false;
  std::string_view const digits = cell.substr(cell.starts_with('-') ? 1 : 0);
  bool const plain_number = !digits.empty() && is_digit(digits[0]) && !digits.starts_with("1.#");
  if (plain_number) return false;
  std::string const word = in_capitals(cell);
  return is_one_of(cell, missing_signs) || is_one_of(word, missing_numbers) ||
         is_spreadsheet_error(word) || is_one_of(without_punctuation(word), missing_words);
}

bool is_plain_name(std::string_view cell) {
  return !cell.empty() && begins_with_letter(cell) && may_be_name(cell);
}

bool is_name_or_sign(std::string_view cell) {
  if (is_plain_name(cell)) return true;
  if (cell.empty() || !may_be_name(cell)) return false;
  auto const c = static_cast<unsigned char>(cell[0]);
  bool const begins_as_number = c <= ' ' || c == 0x7f || c == '+' || c == '-' || c == '.';
  return !begins_as_number && !begins_with_letter(cell) && !has_digit(cell);
}

std::string without_doubled_quotes(std::string_view cell) {
  std::string result;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    result += cell[i];
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return result;
}

namespace {

/// Takes pieces off the beginning of a text.
class pieces {
 public:
  explicit pieces(std::string_view text) : left_(text) {}

  bool done() const { return left_.empty(); }

  /// Takes one of these characters.
  bool take(std::string_view characters) {
    if (left_.empty() || characters.find(left_[0]) == std::string_view::npos) return false;
    left_.remove_prefix(1);
    return true;
  }

  /// Takes exactly `digits` digits, whose number is at most `max`.
  bool number(std::size_t digits, int max, int& value) {
    if (left_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (left_[i] < '0' || left_[i] > '9') return false;
      value = 10 * value + (left_[i] - '0');
    }
    left_.remove_prefix(digits);
    return value <= max;
  }

  /// Takes one to nine digits after a decimal point.
  bool fraction(std::uint32_t& nanoseconds) {
    nanoseconds = 0;
    std::uint32_t unit = 100'000'000;
    std::size_t digits = 0;
    for (int digit = 0; digits < 9 && number(1, 9, digit); ++digits) {
      nanoseconds += unit * static_cast<std::uint32_t>(digit);
      unit /= 10;
    }
    return digits > 0;
  }

 private:
  std::string_view left_;
};

/// Takes Z or an offset from UTC, in seconds.
bool take_zone(pieces& in, std::int64_t& offset) {
  offset = 0;
  if (in.take("Zz")) return true;
  bool const west = in.take("-");
  if (!west && !in.take("+")) return true;
  int hours = 0, minutes = 0;
  if (!in.number(2, 23, hours)) return false;
  bool const colon = in.take(":");
  if ((colon || !in.done()) && !in.number(2, 59, minutes)) return false;
  offset = (hours * 60 + minutes) * 60 * (west ? -1 : 1);
  return true;
}

bool take_time(pieces& in, moment& time) {
  int hours = 0, minutes = 0, seconds = 0;
  if (!in.number(2, 24, hours) || !in.take(":") || !in.number(2, 59, minutes)) return false;
  if (in.take(":")) {
    if (!in.number(2, 60, seconds)) return false;
    if (in.take(".,") && !in.fraction(time.nanoseconds)) return false;
  }
  if (hours == 24 && (minutes > 0 || seconds > 0 || time.nanoseconds > 0)) return false;
  std::int64_t offset = 0;
  if (!take_zone(in, offset)) return false;
  time.seconds += (hours * 60 + minutes) * 60 + seconds - offset;
  return true;
}

}  // namespace

std::optional<moment> parse_date(std::string_view text) {
  pieces in(text);
  int year = 0, month = 0, day = 1;
  if (!in.number(4, 9999, year) || !in.take("-") || !in.number(2, 12, month)) return std::nullopt;
  bool const has_day = in.take("-");
  if (has_day && !in.number(2, 31, day)) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::int64_t const days = std::chrono::sys_days(date).time_since_epoch().count();
  moment result{days * 86400, 0};
  bool const has_time = has_day && in.take("Tt ");
  if (has_time && !take_time(in, result)) return std::nullopt;
  if (!in.done()) return std::nullopt;
  return result;
}

}  // namespace libscan::apps
