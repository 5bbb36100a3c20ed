// SPDX-License-Identifier: Apache-2.0
// The work of scan-sort, without its command line: read, sort, verify, write, report.
#pragma once

#include <apps/common/exit_code.hpp>
#include <apps/radix_sort/program/sort_arguments.hpp>

namespace libscan::apps {

/// Runs scan-sort. Returns `done`, or `difference` if --verify found one: then there is no output.
/// Throws as its callees, and `usage_error` for contradictory arguments.
exit_code run_sort(sort_arguments const& arguments);

}  // namespace libscan::apps
