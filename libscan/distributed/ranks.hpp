// SPDX-License-Identifier: Apache-2.0
// Where a distributed call runs: the ranks, and the engine of each. Takes the place of `engine`.
#pragma once

#include <cstdint>
#include <utility>

#include <libscan/core/engine.hpp>
#include <libscan/distributed/communicator.hpp>
#include <libscan/host/device_queue.hpp>

namespace libscan::inline v1 {

/// How floating-point operations associate. `fixed`: by a tree over the global positions, so that
/// results have the same bits for any number of ranks and any lengths of their parts. `fastest`:
/// within each rank first; the bits depend on the ranks' lengths.
enum class association : std::uint8_t { fixed, fastest };

/// The ranks of a call, and this rank's engine:
///
///   libscan::ranks const on{comm, libscan::engine::cpu()};
///   double const total = libscan::exclusive_scan(on, lengths, offsets);
///
/// On an engine that runs kernels, calls also take device memory (`device_span`). They run on the
/// queue's stream, and return when their results are there. The ranks' engines must be of one kind.
class ranks {
 public:
  ranks(communicator comm, engine on, association order = association::fixed)
      : ranks((std::move)(comm), device_queue{on}, order) {}

  /// With a stream, and memory functions for temporary memory. A workspace is not used.
  ranks(communicator comm, device_queue const& queue, association order = association::fixed)
      : comm_((std::move)(comm)), queue_(queue), order_(order) {
    queue_.workspace = nullptr;
    queue_.workspace_bytes = 0;
    if (!queue.on.runs_kernels()) return;
    threads_ = engine::cpu().threads();
  }

  communicator const& comm() const { return comm_; }
  engine const& local() const { return queue_.on; }
  device_queue const& queue() const { return queue_; }
  /// CPU threads for work that is not on the engine's device.
  int threads() const { return local().runs_kernels() ? threads_ : local().threads(); }
  association order() const { return order_; }
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

 private:
  communicator comm_;
  device_queue queue_;
  association order_;
  int threads_ = 0;
};

}  // namespace libscan::inline v1
