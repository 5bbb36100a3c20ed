// SPDX-License-Identifier: Apache-2.0
// Where a distributed call runs: the ranks, and the engine of each. Takes the place of `engine`.
#pragma once

#include <cstdint>
#include <utility>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/distributed/communicator.hpp>

namespace libscan::inline v1 {

/// How floating-point operations associate. `fixed`: by a tree over the global positions, so that
/// results have the same bits for any number of ranks and any lengths of their parts. `fastest`:
/// within each rank first; the bits depend on the ranks' lengths.
enum class association : std::uint8_t { fixed, fastest };

/// The ranks of a call and this rank's engine, which is a CPU engine so far:
///
///   libscan::ranks const on{comm, libscan::engine::cpu()};
///   double const total = libscan::exclusive_scan(on, lengths, offsets);
class ranks {
 public:
  /// Throws: `invalid_argument` for another engine than cpu.
  ranks(communicator comm, engine on, association order = association::fixed)
      : comm_(std::move(comm)), engine_(on), order_(order) {
    if (on.runs_kernels()) {
      throw invalid_argument("ranks: distributed calls run on the cpu engine only, got " +
                             on.description());
    }
  }

  communicator const& comm() const { return comm_; }
  engine const& local() const { return engine_; }
  int threads() const { return engine_.threads(); }
  association order() const { return order_; }
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

 private:
  communicator comm_;
  engine engine_;
  association order_;
};

}  // namespace libscan::inline v1
