// SPDX-License-Identifier: Apache-2.0
// Ranks that are processes of MPI. The only header of libscan that includes mpi.h; link
// libscan::mpi.
#pragma once

#include <mpi.h>

#include <chrono>

#include <libscan/core/types.hpp>
#include <libscan/distributed/communicator.hpp>

namespace libscan::inline v1 {

/// How libscan uses MPI.
struct mpi_options {
  /// A rank that waits longer for others throws `communicator_lost`.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  /// Longer messages are cut into chunks; at most two per pair of ranks are in flight.
  index_t chunk_bytes = index_t{64} << 20;
};

/// The communicator of the processes of `comm`, which all call this. libscan duplicates `comm`, so
/// its messages never meet the caller's. MPI is initialized by the caller, and finalized after the
/// last copy of the result is gone.
/// Failures: after `communicator_lost`, or `remote_error` from a rank that gave up, MPI may still
/// use the memory of the call. End the process with MPI_Abort then.
/// Throws: `invalid_argument` if MPI is not running, or for a timeout or chunk below 1.
communicator communicator_of(MPI_Comm comm, mpi_options const& options = {});

}  // namespace libscan::inline v1
