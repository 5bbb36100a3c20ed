// SPDX-License-Identifier: Apache-2.0
// The work of scan-prefix-mpi, without its command line.
#pragma once

#include <apps/common/rank_files.hpp>
#include <apps/prefix/prefix_arguments.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Scans the file `arguments.input` into the file `arguments.output` on all ranks.
/// --algorithm is not supported. Collective.
/// Throws: as `rank_input`, `rank_output`, `heads_on_ranks` and the scans; `usage_error` for an
/// accumulator that does not fit, `file_error` for items that it cannot hold.
void prefix_on_ranks(ranks const& on, prefix_arguments const& arguments);

}  // namespace libscan::apps
