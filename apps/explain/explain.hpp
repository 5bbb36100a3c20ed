// SPDX-License-Identifier: Apache-2.0
// The work of scan-explain, without its command line.
#pragma once

#include <optional>
#include <string>

#include <apps/common/exit_code.hpp>
#include <apps/explain/run_scan.hpp>

namespace libscan::apps {

/// The request for scan-explain.
struct explain_arguments {
  std::string numbers = "3 1 7 0 4 1 6 3";
  std::string svg;  ///< file of the drawing, or "-"; empty: none
  int width = 0;    ///< columns of text; 0: the terminal's, or 80
  int banks = 0;    ///< of shared memory, to show where operands lie; 0: show the scan
  int ranks = 0;    ///< on which to run a scan, or a sort; 0: run kernels
  bool sorts = false;
  scan_request scan;
};

/// The integers in a text, separated by blanks or commas. Throws `invalid_argument` that names the
/// word that is no int32, its number, and what was expected.
std::vector<std::int32_t> numbers_in(std::string const& text);

/// Runs it: writes the text to standard output, unless the drawing goes there. Throws as its
/// callees.
exit_code run_explain(explain_arguments const& arguments);

}  // namespace libscan::apps
