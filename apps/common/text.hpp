// SPDX-License-Identifier: Apache-2.0
// A column of numbers in text: one number per line, or a table of cells (CSV, TSV, blanks).
// docs/text.md has the rules.
#pragma once

#include <string>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// A column, or the only row, depending on `options`, as their type or as the type found. Throws
/// `file_error` with the line.
array read_text(byte_reader& in, read_options const& options);

/// All lines of a text as strings: names, for example. Without line ends, and without a byte order
/// mark. Decompresses gzip; "-" is standard input. Throws `file_error`, also for lines that do not
/// print: with control characters, or not in UTF-8.
std::vector<std::string> read_lines(std::string const& path);

}  // namespace libscan::apps
