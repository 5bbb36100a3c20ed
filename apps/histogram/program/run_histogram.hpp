// SPDX-License-Identifier: Apache-2.0
// The work of scan-histogram, without its command line: read, count, verify, write, draw, report.
#pragma once

#include <apps/common/exit_code.hpp>
#include <apps/histogram/program/histogram_arguments.hpp>

namespace libscan::apps {

/// Runs it. Returns `done`, or `difference` if --verify found one: then there is no output. Throws
/// `usage_error` for arguments that contradict each other or do not fit the samples, and as its
/// callees: `file_error`, `engine_unavailable`, ...
exit_code run_histogram(histogram_arguments const& arguments);

}  // namespace libscan::apps
