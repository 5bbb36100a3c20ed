// SPDX-License-Identifier: Apache-2.0
// A column of numbers in text: one number per line, or a table of cells (CSV, TSV, blanks). The
// rules are stated at `read_array` in data_file.hpp.
#pragma once

#include <optional>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// Column `column` (from 1) of all lines but a header, as `type` or as the type found. Throws
/// `file_error` with the line.
array read_text(byte_reader& in, std::optional<dtype> type, int column,
                header_rule header = header_rule::automatic);

}  // namespace libscan::apps
