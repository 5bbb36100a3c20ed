// SPDX-License-Identifier: Apache-2.0
// Columns, delimiters and missing values on the command line.
#include <apps/common/column.hpp>

#include <utility>

#include <apps/common/cells.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t max_column = 1000000;

/// Takes one ending such as ":text" off `text` and applies it to `key`; false if there is none.
bool take_ending(std::string_view& text, column_key& key) {
  std::size_t const colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view const word = text.substr(colon + 1);
  if (word == "number") {
    key.kind = cell_kind::number;
  } else if (word == "text") {
    key.kind = cell_kind::text;
  } else if (word == "date") {
    key.kind = cell_kind::date;
  } else if (word == "ascending" || word == "descending") {
    key.descending = word == "descending";
  } else {
    return false;
  }
  text = text.substr(0, colon);
  return true;
}

}  // namespace

std::string words_of(column_choice const& column) {
  return "column " + (column.number > 0 ? std::to_string(column.number) : for_people(column.name));
}

column_choice column_from_text(std::string_view text) {
  std::uint64_t number = 0;
  if (parse_digits(text, number) && number >= 1 && number <= max_column) {
    return static_cast<int>(number);
  }
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
    return column_choice(std::string(text.substr(1, text.size() - 2)));
  }
  constexpr std::string_view beginnings_of_numbers = " 0123456789+-.\"";
  if (text.empty() || beginnings_of_numbers.find(text.front()) != std::string_view::npos) {
    throw usage_error("--column: " + for_people(text) +
                      ", expected a whole number from 1 to 1000000, a name in the header, or any "
                      "name in double quotes");
  }
  return column_choice(std::string(text));
}

column_key key_from_text(std::string_view text) {
  column_key key;
  std::string_view column = text;
  while (take_ending(column, key)) {
  }
  key.column = column_from_text(column);
  return key;
}

char delimiter_from_text(std::string_view text) {
  constexpr std::pair<std::string_view, char> names[] = {{"tab", '\t'},  {"\\t", '\t'},
                                                         {"comma", ','}, {"semicolon", ';'},
                                                         {"pipe", '|'},  {"blanks", ' '}};
  for (auto const& [name, character] : names) {
    if (text == name) return character;
  }
  constexpr std::string_view in_cells = "\"\r\n0123456789+-.eE#";
  bool const one = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80 &&
                   text[0] != '\0' && in_cells.find(text[0]) == std::string_view::npos;
  if (!one) {
    throw usage_error("--delimiter: " + for_people(text) +
                      " delimits no numbers, expected one character, or tab, comma, semicolon, "
                      "pipe or blanks");
  }
  return text[0];
}

missing_rule missing_rule_from_text(std::string_view text) {
  using choice = missing_rule::choice;
  if (text == "fail") return {choice::fail};
  if (text == "skip") return {choice::skip};
  if (text == "first") return {choice::first};
  if (text == "last") return {choice::last};
  if (is_number(text)) return {choice::value, std::string(text)};
  throw usage_error("--missing: " + for_people(text) +
                    " is no such rule, expected fail, skip, a number or, for sorts, first or "
                    "last");
}

}  // namespace libscan::apps
