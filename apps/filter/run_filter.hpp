// SPDX-License-Identifier: Apache-2.0
// The work of scan-filter behind its command line: read, filter, verify, write, report.
#pragma once

#include <cstdint>
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
  std::string keep;          ///< the predicate's text
  result wanted = result::values;
  common_arguments common;
};

/// Does it. Returns `done`, or `difference` if --verify found one: then there is no output. Throws
/// as what it calls: `invalid_argument` for the predicate, `file_error`, `engine_unavailable`, ...
exit_code run_filter(filter_arguments const& arguments);

}  // namespace libscan::apps
