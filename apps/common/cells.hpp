// SPDX-License-Identifier: Apache-2.0
// The meaning of words in the cells of a text that are no numbers, and dates and times as ISO 8601
// writes them. docs/text.md has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace libscan::apps {

/// Whether the cell is a decimal number, inf or nan.
bool is_number(std::string_view cell);

/// Whether the cell marks a missing value: it is empty, or one of the words that databases,
/// statistics programs and spreadsheets use ("NA", "None", "#N/A", ...), in any case.
bool means_missing(std::string_view cell);

/// Whether a text, which is not empty, begins with a letter or '_'. Beyond ASCII, so does any
/// character of UTF-8 that is no sign, such as a minus sign or a blank.
bool begins_with_letter(std::string_view text);

/// Whether the cell is plainly the name of a column: it begins with a letter or '_' and is neither
/// a word for a missing value, nor a bool, nor nearly a number ("O" for 0, "e5").
bool is_plain_name(std::string_view cell);

/// The same for a cell among others, or in quotes: signs without digits ("(m)", "%") are also
/// names.
bool is_name_or_sign(std::string_view cell);

/// The content of a quoted cell with its doubled quotes made single.
std::string without_doubled_quotes(std::string_view cell);

/// A moment.
struct moment {
  std::int64_t seconds;       ///< since 1970-01-01T00:00:00Z, without leap seconds
  std::uint32_t nanoseconds;  ///< 0 to 999999999
};

/// All of `text` as a date: YYYY-MM or YYYY-MM-DD, in the Gregorian calendar, or the latter with a
/// time: 'T', 't' or a blank, hh:mm, hh:mm:ss or hh:mm:ss.fraction (with '.' or ',', of at most
/// nine digits), and then nothing (as UTC), 'Z', 'z', +hh, +hhmm or +hh:mm, or one of these with
/// '-'. Second 60 is the next minute's second 0, and 24:00:00 is the next day's midnight. Nothing
/// if it is none.
std::optional<moment> parse_date(std::string_view text);

}  // namespace libscan::apps
