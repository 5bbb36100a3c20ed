// SPDX-License-Identifier: Apache-2.0
// The work of scan-filter and scan-filter-mpi, without their command lines: read, filter, verify,
// write, report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/filter/program/filter_by.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// The arguments of scan-filter.
struct filter_arguments {
  /// What goes to the output.
  enum class result : std::uint8_t { values, indices, count };

  std::string input;         ///< file, or "-"
  std::string output = "-";  ///< file, or "-"
  /// One of the two: the text of a predicate; or the name of a file with a mask, or "-".
  std::optional<std::string> keep;
  std::optional<std::string> mask;
  /// The output for what is not kept: file, or "-"; only with `result::values`.
  std::optional<std::string> rejected;
  result wanted = result::values;
  bool only = false;  ///< of text: write the numbers, not their rows
  std::optional<filter_algorithm> algorithm;
  common_arguments common;
};

/// Runs scan-filter. Returns `done`, or `difference` if --verify found one: in that case there is
/// no output. Throws `usage_error` for arguments that exclude each other, and as what it calls:
/// `invalid_argument` for the predicate, `file_error`, `engine_unavailable`, ...
exit_code run_filter(filter_arguments const& arguments);

/// Keeps the items of the file `arguments.input` that `arguments.keep` accepts, or that the file
/// `arguments.mask` marks, in the file `arguments.output`, on all ranks. Positions, counts and a
/// second output are not supported. Collective.
/// Throws: as `rank_input`, `rank_output` and `filter`; `invalid_argument` for the predicate;
/// `usage_error` without one and without a mask; `file_error` for a mask that does not fit.
void filter_on_ranks(ranks const& on, filter_arguments const& arguments);

}  // namespace libscan::apps
