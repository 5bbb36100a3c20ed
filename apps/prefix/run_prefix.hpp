// SPDX-License-Identifier: Apache-2.0
// The work of scan-prefix, without its command line: read, scan, verify, write, report.
#pragma once

#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps {

/// The arguments of scan-prefix.
struct prefix_arguments {
  std::string input;         ///< file, or "-"
  std::string output = "-";  ///< file, or "-"
  operator_kind op = operator_kind::plus;
  scan_kind kind = scan_kind::inclusive;
  scan_direction direction = scan_direction::forward;
  std::optional<std::string> init;   ///< a number as written; none: the operator's identity
  std::optional<dtype> accumulator;  ///< none: as NumPy's cumsum
  segmentation::form segments = segmentation::form::none;
  std::string segment_file;  ///< file, or "-"; where `segments` is not none
  std::optional<scan_strategy> algorithm;
  common_arguments common;
};

/// The accumulator for items of `type` if none is given, as in NumPy's cumsum: integers widen to 64
/// bits of the same signedness, floats keep their type.
dtype default_accumulator(dtype type);

/// Whether items of `type` may be accumulated in `accumulator`: in any type that is as wide as
/// their own or wider, or in floats.
bool may_accumulate(dtype type, dtype accumulator);

/// Runs scan-prefix. Returns `done`, or `difference` if --verify found one: in that case there is
/// no output. Throws `usage_error`, `file_error`, and what engines throw.
exit_code run_prefix(prefix_arguments const& arguments);

}  // namespace libscan::apps
