// SPDX-License-Identifier: Apache-2.0
// Words in cells: numbers, missing values, names.
#include <apps/common/cells.hpp>

#include <algorithm>
#include <string>

#include <apps/common/number.hpp>

namespace libscan::apps {
namespace {

constexpr std::string_view missing_words[] = {"",          "-",         "--",           "---",
                                              ".",         "..",        "...",          "?",
                                              "NA",        "N/A",       "N.A.",         "<NA>",
                                              "NULL",      "(NULL)",    "\\N",          "NONE",
                                              "NIL",       "NAT",       "MISSING",      "UNDEFINED",
                                              "1.#QNAN",   "-1.#QNAN",  "1.#IND",       "-1.#IND",
                                              "1.#INF",    "-1.#INF",   "#N/A",         "#NA",
                                              "#NULL!",    "#REF!",     "#DIV/0!",      "#VALUE!",
                                              "#NAME?",    "#NUM!",     "#SPILL!",      "#CALC!",
                                              "#FIELD!",   "#BLOCKED!", "#BUSY!",       "#CONNECT!",
                                              "#UNKNOWN!", "#ERROR!",   "#GETTING_DATA"};
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_ascii_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
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
  // In UTF-8 these begin signs: those of Latin-1, a minus and other mathematics, wide forms.
  bool const sign = c <= 0xc2 || (c == 0xe2 && second >= 0x80 && second < 0xb0) ||
                    (c == 0xe3 && second == 0x80) || (c == 0xef && second >= 0xb8);
  return !sign;
}

bool is_number(std::string_view cell) {
  double ignored = 0;
  return parse_number(cell, ignored) != parse_outcome::no_number;
}

bool means_missing(std::string_view cell) {
  constexpr std::size_t longest = 16;
  if (cell.size() > longest) return false;
  bool const plain_number = !cell.empty() && is_digit(cell[0]) && !cell.starts_with("1.#");
  if (plain_number) return false;
  std::string const word = in_capitals(cell);
  return is_one_of(word, missing_words) || word.starts_with("ERR:");  // LibreOffice's
}

bool is_plain_name(std::string_view cell) {
  return !cell.empty() && begins_with_letter(cell) && may_be_name(cell);
}

bool is_name_or_sign(std::string_view cell) {
  if (is_plain_name(cell)) return true;
  if (cell.empty() || !may_be_name(cell)) return false;
  auto const c = static_cast<unsigned char>(cell[0]);
  bool const begins_as_number = c <= ' ' || c == 0x7f || c == '+' || c == '-' || c == '.';
  return !begins_as_number && !begins_with_letter(cell) &&
         std::none_of(cell.begin(), cell.end(), is_digit);
}

std::string without_doubled_quotes(std::string_view cell) {
  std::string result;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    result += cell[i];
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return result;
}

}  // namespace libscan::apps
