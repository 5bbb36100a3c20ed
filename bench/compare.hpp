// SPDX-License-Identifier: Apache-2.0
// scan-bench compare: two records side by side.
#pragma once

#include <string>

namespace libscan::bench {

/// Prints the changes beyond the noise, both ways, and counts the results that only one record has.
/// Returns 1 if something of libscan got slower, 0 if not.
/// Throws: `apps::file_error` for files that are no records or have nothing in common, and as
/// `flush_lines`.
int compare(std::string const& older, std::string const& newer);

}  // namespace libscan::bench
