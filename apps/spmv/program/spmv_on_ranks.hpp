// SPDX-License-Identifier: Apache-2.0
// The work of scan-spmv-mpi, without its command line.
#pragma once

#include <apps/spmv/program/run_spmv.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Multiplies the matrix in the file `arguments.matrix` by x on all ranks, into the file
/// `arguments.output`. Statistics, pictures and --algorithm are not supported. Collective.
/// Throws: as `read_rank_matrix`, `rank_input`, `rank_output`, `to_rows` and `distributed_matrix`;
/// `usage_error` for arguments that do not fit.
void spmv_on_ranks(ranks const& on, spmv_arguments const& arguments);

}  // namespace libscan::apps
