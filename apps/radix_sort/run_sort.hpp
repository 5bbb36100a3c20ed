// SPDX-License-Identifier: Apache-2.0
// The work of scan-sort behind its command line: read, sort, verify, write, report.
#pragma once

#include <apps/common/exit_code.hpp>
#include <apps/radix_sort/sort_arguments.hpp>

namespace libscan::apps {

/// Does what scan-sort is asked to do. Returns `done`, or `difference` if --verify found one: then
/// there is no output. Throws as what it calls, and `usage_error` for arguments that do not go
/// together.
exit_code run_sort(sort_arguments const& arguments);

}  // namespace libscan::apps
