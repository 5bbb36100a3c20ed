// SPDX-License-Identifier: Apache-2.0
// The input of scan-sort: an array of keys and, if text is sorted, their rows; never more than the
// memory bound.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/item_stream.hpp>

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

/// An input before its keys are read: the rows of a text with their keys, or a stream of keys.
struct sort_source {
  std::optional<sort_input> rows;
  std::unique_ptr<item_stream> items;
};

/// Opens the input `path` ("-" is standard input) as `item_stream` does. If it is text and
/// `with_rows`, its rows are read, without empty lines and comments. Adds the bytes that are read
/// to `bytes_read`, which must outlive the result.
///
/// Throws as `read_array`, and as `require_memory` as soon as the rows take too much: before a byte
/// is read, if the file's size shows it.
sort_source open_sort_input(std::string const& path, read_options const& options, bool with_rows,
                            std::uint64_t& bytes_read);

}  // namespace libscan::apps
