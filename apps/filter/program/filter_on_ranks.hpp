// SPDX-License-Identifier: Apache-2.0
// The work of scan-filter-mpi, without its command line.
#pragma once

#include <apps/filter/program/run_filter.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Keeps the items of the file `arguments.input` that `arguments.keep` accepts, in the file
/// `arguments.output`, on all ranks. Masks, positions, counts and a second output are not
/// supported. Collective.
/// Throws: as `rank_input`, `rank_output` and `filter`; `invalid_argument` for the predicate.
void filter_on_ranks(ranks const& on, filter_arguments const& arguments);

}  // namespace libscan::apps
