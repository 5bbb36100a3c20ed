// SPDX-License-Identifier: Apache-2.0
// The work of scan-filter-mpi, without its command line.
#pragma once

#include <apps/filter/program/run_filter.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Keeps the items of the file `arguments.input` that `arguments.keep` accepts, or that the file
/// `arguments.mask` marks, in the file `arguments.output`, on all ranks. Positions, counts and a
/// second output are not supported. Collective.
/// Throws: as `rank_input`, `rank_output` and `filter`; `invalid_argument` for the predicate;
/// `usage_error` without one and without a mask; `file_error` for a mask that does not fit.
void filter_on_ranks(ranks const& on, filter_arguments const& arguments);

}  // namespace libscan::apps
