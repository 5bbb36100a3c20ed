// SPDX-License-Identifier: Apache-2.0
// The work of scan-histogram-mpi, without its command line.
#pragma once

#include <apps/histogram/program/histogram_arguments.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Counts the items of the file `arguments.input` on all ranks, and writes the counts to the file
/// `arguments.output`. Edges, weights and drawings are not supported. Collective.
/// Throws: as `rank_input`, `rank_output` and `histogram`; `usage_error` for bins that do not fit.
void histogram_on_ranks(ranks const& on, histogram_arguments const& arguments);

}  // namespace libscan::apps
