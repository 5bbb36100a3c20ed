// SPDX-License-Identifier: Apache-2.0
// The input of scan-sort: an array of keys and, if text is sorted, their rows; never more than the
// memory bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// Keys, and their lines of the text.
struct sort_input {
  array keys;
  std::vector<std::string_view> rows;  ///< one for each key, without line ends; empty if no text
  std::string_view mark;               ///< of UTF-8, at the start of the text; may be empty
  std::optional<std::string_view> header;
  std::string_view last_end = "\n";  ///< of the text's last line: that of the first if it has none
  kept_bytes text;                   ///< holds all of these lines

  /// The bytes of all of it.
  std::uint64_t bytes() const;
};

/// Reads the input `path` ("-" is standard input) as `read_array`. If it is text and `with_rows`,
/// its rows are kept; empty lines and comments are not.
///
/// Throws as `read_array`, and as `require_memory` as soon as the input takes too much: before a
/// byte is read, if the file's size shows it.
sort_input read_sort_input(std::string const& path, read_options const& options, bool with_rows);

}  // namespace libscan::apps
