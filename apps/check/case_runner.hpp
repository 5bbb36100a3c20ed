// SPDX-License-Identifier: Apache-2.0
// Runs cases one after the other, in reused memory, and shrinks those that fail.
#pragma once

#include <string>

#include <apps/check/check_case.hpp>
#include <apps/check/check_engine.hpp>
#include <apps/check/oracle.hpp>

namespace libscan::apps {

/// A case that fails, and how: "item 3: expected 7, got 8".
struct failure {
  check_case what;
  case_overrides overrides;  ///< the case is drawn again with these
  std::string difference;
};

/// Runs cases on an engine and compares.
class case_runner {
 public:
  explicit case_runner(check_engine& on) : on_(on) {}

  /// Empty if case `c`, drawn with `overrides`, gives the right result; else the first difference,
  /// or the exception. Passes on a `device_error` or std::bad_alloc, after which later cases say
  /// nothing. A crash prints `command_for` the case before it ends the program.
  std::string run(check_case const& c, case_overrides const& overrides);

  /// The same failure with fewer items, simpler values and a plainer call, as long as it persists.
  failure shrink(failure found);

 private:
  bool fails(failure& found, case_overrides const& overrides);
  void shrink_size(failure& found);

  check_engine& on_;
  image in_, expected_, got_;
  tolerances allowed_;
};

/// The command that runs case `c`, drawn with `overrides`, again.
std::string command_for(check_case const& c, case_overrides const& overrides);

}  // namespace libscan::apps
