// SPDX-License-Identifier: Apache-2.0
// scan-check, from its arguments to its exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apps/check/check_case.hpp>
#include <apps/common/exit_code.hpp>

namespace libscan::apps {

/// The command line.
struct check_arguments {
  std::string engine = "auto";         ///< --engine: cpu, cuda, executor, auto
  case_overrides overrides;            ///< --what --host-api --large --n --values --aligned --plain
  std::optional<double> seconds;       ///< --seconds
  std::optional<std::uint64_t> cases;  ///< --cases
  std::optional<std::uint64_t> only;   ///< --case
  std::optional<std::uint64_t> seed;   ///< --seed; any if not given
  std::optional<std::string> json_file;  ///< --json
  bool progress = false;                 ///< --progress
};

/// Runs cases until the time or their number is used up, or one fails. Writes a failure and the
/// summary to standard output, or to standard error if --json goes there. Returns
/// `exit_code::difference` for a failure. Throws as programs do.
exit_code run_check(check_arguments const& arguments);

}  // namespace libscan::apps
