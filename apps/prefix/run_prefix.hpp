// SPDX-License-Identifier: Apache-2.0
// The work of scan-prefix, without its command line: read, scan, verify, write, report.
#pragma once

#include <apps/common/exit_code.hpp>
#include <apps/prefix/prefix_arguments.hpp>

namespace libscan::apps {

/// Runs scan-prefix. Returns `done`, or `difference` if --verify found one: in that case there is
/// no output. Throws `usage_error`, `file_error`, and what engines throw.
exit_code run_prefix(prefix_arguments const& arguments);

}  // namespace libscan::apps
