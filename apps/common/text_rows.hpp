// SPDX-License-Identifier: Apache-2.0
// A text in memory as rows that stay whole, with the keys that are read from their columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// The cells of one column as keys, one per row.
struct key_column {
  column_key how;
  array numbers;      ///< of numbers: the values; of dates: int64 seconds since 1970
  array nanoseconds;  ///< of dates: uint32; empty if all are 0
  std::vector<std::string_view> words;  ///< of text, without quotes
  std::vector<std::uint8_t> missing;    ///< 1 for a missing value; empty if there is none
  std::deque<std::string> unquoted;     ///< holds words with doubled quotes made single

  /// The bytes of all of it, except those of the text.
  std::uint64_t bytes() const;
};

/// Rows, and the bytes around them.
struct text_rows {
  std::vector<std::string_view> rows;  ///< lines without their LF
  std::string_view mark;               ///< of UTF-8, at the start of the text; may be empty
  std::optional<std::string_view> header;
  std::string_view last_end = "\n";  ///< of the text's last line: that of the first if it has none
  kept_bytes text;                   ///< holds all of these lines
  std::vector<key_column> keys;      ///< as many as were chosen
  std::vector<std::string> notes;    ///< as `array::notes`
  std::uint64_t header_line = 0;     ///< as `array::header_line`
  bool is_sequence = false;          ///< the items are the numbers of the only row; no rows

  /// The bytes of all of it.
  std::uint64_t bytes() const;
};

/// Reads the rest of `in`, a text, as rows, and their keys; without `keys`, `options.column` as a
/// number. Rows are all lines but the header, empty lines, comments and skipped rows. Throws
/// `file_error` as `column_reader`. Throws `error` beyond the memory bound: before a byte is read,
/// if the file's size shows it.
text_rows read_text_rows(byte_reader& in, read_options const& options,
                         std::vector<column_key> const& keys = {});

}  // namespace libscan::apps
