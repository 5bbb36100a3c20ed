// SPDX-License-Identifier: Apache-2.0
// Ranks on GPUs whose items travel by NCCL. Counts and failures take another way: threads of one
// process (threads.hpp), or MPI (mpi.hpp) with a process for each GPU. The only header of libscan
// that includes nccl.h; link libscan::nccl.
#pragma once

#include <nccl.h>

#include <chrono>

#include <libscan/core/engine.hpp>
#include <libscan/distributed/communicator.hpp>

namespace libscan::inline v1 {

/// How libscan uses NCCL.
struct nccl_options {
  /// A rank whose exchange takes longer throws `communicator_lost`.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
};

/// The ranks of `control`, which all call this; they exchange items in GPU memory by `data`, which
/// has the same ranks. Any other memory, and counts, travel as in `control`.
///
///   ncclCommInitAll(nccl, 4, nullptr);
///   libscan::thread_ranks({gpu0, gpu1, gpu2, gpu3}).run([&](libscan::ranks const& control) {
///     auto const comm = libscan::communicator_of(control.comm(), nccl[control.rank()]);
///     libscan::ranks const on{comm, control.queue()};
///   });
///
/// The caller owns `data`, and uses it in no other stream meanwhile.
/// Failures: when a rank fails within a call, each rank aborts its `data` (ncclCommAbort), which
/// then is of no more use, not even to ncclCommDestroy.
/// Throws: `invalid_argument` if ranks or sizes differ; `device_error` if NCCL fails.
communicator communicator_of(communicator const& control, ncclComm_t data,
                             nccl_options const& options = {});

/// The same with a communicator of NCCL that libscan makes, and that ends with the last copy of the
/// result. Each rank passes its own GPU; no two ranks may have the same one. Collective.
communicator nccl_communicator_of(communicator const& control, engine const& on,
                                  nccl_options const& options = {});

}  // namespace libscan::inline v1
