// SPDX-License-Identifier: Apache-2.0
// The work of scan-sort-mpi, without its command line.
#pragma once

#include <apps/common/rank_files.hpp>
#include <apps/radix_sort/program/sort_arguments.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Sorts the file `arguments.input` into the file `arguments.output` on all ranks: keys, with
/// `values` also the values that move with them, or with `positions` where they were. --unique is
/// not supported. Collective.
/// Throws: as `rank_input`, `rank_output`, `sort_keys`, `sort_pairs` and `argsort`; `file_error`
/// for another number of values than keys.
void sort_on_ranks(ranks const& on, sort_arguments const& arguments);

}  // namespace libscan::apps
