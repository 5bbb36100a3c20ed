// SPDX-License-Identifier: Apache-2.0
// The work of scan-sort behind its command line: read, sort, verify, write, report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/dtype.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/radix_sort/radix_sort.hpp>

namespace libscan::apps {

/// What scan-sort is asked to do.
struct sort_arguments {
  std::string input;                  ///< file, or "-"
  std::string output = "-";           ///< file, or "-"
  std::optional<std::string> values;  ///< file whose items move with the keys
  std::optional<dtype> values_type;   ///< of its items
  std::string values_output;          ///< where they go
  bool positions = false;             ///< positions instead of keys
  bool unique = false;                ///< the first of equal keys only
  std::uint64_t memory = 0;           ///< bytes that may be taken; 0: all there are
  std::optional<std::string> bits;    ///< "LO:HI"
  sort_options options;               ///< direction; the bits come from `bits`
  common_arguments common;
};

/// Does it. Returns `done`, or `difference` if --verify found one: then there is no output. Throws
/// as what it calls, and `usage_error` for arguments that do not go together.
exit_code run_sort(sort_arguments const& arguments);

}  // namespace libscan::apps
