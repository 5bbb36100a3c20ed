// SPDX-License-Identifier: Apache-2.0
// The columns of a text that an option names, and what is done with their cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace libscan::apps {

/// A column: by its number, from 1, or by its word in the header.
struct column_choice {
  /// Column `from_1`.
  column_choice(int from_1 = 1) : number(from_1) {}

  /// The column whose cell in the header is `word`.
  explicit column_choice(std::string word) : number(0), name(std::move(word)) {}

  int number;        ///< 0: by name
  std::string name;  ///< as in the header, without quotes
};

/// For messages: "column 2" or "column 'price'".
std::string words_of(column_choice const& column);

/// What the cells of a key column are.
enum class cell_kind : std::uint8_t { number, text, date };

/// A column that rows are sorted by.
struct column_key {
  column_choice column;
  cell_kind kind = cell_kind::number;
  std::optional<bool> descending = {};  ///< not given: as all keys without a direction
};

/// A column from the command line: a number from 1 to 1000000; a name that begins with neither a
/// digit, a sign nor a quote; or any name in double quotes. Throws `usage_error`.
column_choice column_from_text(std::string_view text);

/// The same, then any of ":number", ":text", ":date", ":ascending" and ":descending". Throws
/// `usage_error`.
column_key key_from_text(std::string_view text);

/// The character called `text`: one ASCII character, "tab", "comma", "semicolon", "pipe" or
/// "blanks"; ' ' stands for runs of blanks. Throws `usage_error`.
char delimiter_from_text(std::string_view text);

/// What becomes of a missing value.
struct missing_rule {
  /// The choices.
  enum class choice : std::uint8_t {
    fail,   ///< it is an error
    skip,   ///< its row is skipped
    first,  ///< its row is sorted before all others
    last,   ///< its row is sorted after all others
    value   ///< it is read as `number`
  };
  choice what = choice::fail;
  std::string number = {};
};

/// The rule called `text`: "fail", "skip", "first", "last" or a number. Throws `usage_error`.
missing_rule missing_rule_from_text(std::string_view text);

}  // namespace libscan::apps
