// SPDX-License-Identifier: Apache-2.0
// The work of scan-filter behind its command line: read, filter, verify, write, report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>

namespace libscan::apps {

/// What scan-filter is asked to do.
struct filter_arguments {
  /// What goes to the output.
  enum class result : std::uint8_t { values, indices, count };

  std::string input;         ///< file, or "-"
  std::string output = "-";  ///< file, or "-"
  /// What decides, one of both: a predicate's text, or a file that holds a mask, or "-".
  std::optional<std::string> keep;
  std::optional<std::string> mask;
  /// Where what is not kept goes, too: file, or "-"; only with `result::values`.
  std::optional<std::string> rejected;
  result wanted = result::values;
  common_arguments common;
};

/// Does it. Returns `done`, or `difference` if --verify found one: then there is no output. Throws
/// `usage_error` for arguments that do not go together, and as what it calls: `invalid_argument`
/// for the predicate, `file_error`, `engine_unavailable`, ...
exit_code run_filter(filter_arguments const& arguments);

}  // namespace libscan::apps
