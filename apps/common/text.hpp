// SPDX-License-Identifier: Apache-2.0
// A column of numbers in text: one number per line, or a table of cells (CSV, TSV, blanks).
// docs/text.md has the rules.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/column_reader.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/number_column.hpp>
#include <apps/common/plain_rows.hpp>

namespace libscan::apps {

/// Reads a column, or the only row, in pieces.
class number_reader {
 public:
  /// The rest of `in`, which must outlive this object, as must `options`.
  number_reader(byte_reader& in, read_options const& options);

  /// The next numbers, which take `enough` bytes or more. Fewer at the end and, unless `wait`,
  /// where the text pauses; none at the end. All are of `options.type`; without one, of a type that
  /// fits all so far. Throws as `read_text`.
  array next(std::size_t enough, bool wait = true);

  /// Whether the next row would be waited for, for a tenth of a second or longer.
  bool waits() { return cells_.waits(); }

 private:
  bool add_plain_rows();

  column_reader cells_;
  number_column numbers_;
  plain_row_feed feed_;
};

/// A column, or the only row, depending on `options`, as their type or as the type found. Throws
/// `file_error` with the line.
array read_text(byte_reader& in, read_options const& options);

/// All lines of a text as strings: names, for example. Without line ends, and without a byte order
/// mark. Decompresses gzip; "-" is standard input. Throws `file_error`, also for lines that do not
/// print: with control characters, or not in UTF-8.
std::vector<std::string> read_lines(std::string const& path);

}  // namespace libscan::apps
