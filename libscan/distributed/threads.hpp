// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process, one for each engine: several GPUs of one machine without
// another library. They see each other's memory, so messages are single copies, between GPUs over
// their own link.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include <libscan/core/engine.hpp>
#include <libscan/distributed/communicator.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::inline v1 {

/// How ranks of one process wait for each other, and what they may read.
struct thread_options {
  /// A rank that waits longer for others throws `communicator_lost`.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  /// Of `thread_ranks`: whether kernels of a rank may read memory of the others, where their GPUs
  /// are linked. Sorts then merge without an exchange before.
  bool read_all_memory = true;
};

/// One communicator for each of `ranks` ranks, for threads that the caller starts. Each thread
/// takes one. A call may return or throw in one thread while others are still in it, but never
/// while others use its memory. Outputs of a rank must not overlap what other ranks read.
/// Throws: `invalid_argument` if `ranks` < 1, or for a timeout below 1 ms.
std::vector<communicator> communicators_of_threads(int ranks, thread_options const& options = {});

/// The engines of all GPUs that libscan can use; none without a GPU.
std::vector<engine> all_gpus();

/// Starts a thread for each engine:
///
///   libscan::thread_ranks gpus(libscan::all_gpus());
///   gpus.run([&](libscan::ranks const& on) {
///     auto const total = libscan::exclusive_scan(on, items[on.rank()], out[on.rank()]);
///   });
///
/// An engine may be listed several times: its ranks then share that GPU. A rank on a GPU has it as
/// its current device, and a stream of its own, `on.queue().stream`. Outputs of a rank must not
/// overlap what other ranks read.
class thread_ranks {
 public:
  /// Throws: `invalid_argument` without engines; `device_error`.
  explicit thread_ranks(std::vector<engine> engines, thread_options const& options = {},
                        association order = association::fixed);
  ~thread_ranks();
  thread_ranks(thread_ranks const&) = delete;
  thread_ranks& operator=(thread_ranks const&) = delete;

  int size() const { return static_cast<int>(engines_.size()); }

  /// Runs `body` on all ranks at once, and waits for all of them. Returns the exception of each
  /// rank, null for success.
  std::vector<std::exception_ptr> outcomes(std::function<void(ranks const&)> const& body);

  /// The same; rethrows the exception of the lowest rank with one of its own, not a `remote_error`.
  void run(std::function<void(ranks const&)> const& body);

 private:
  std::vector<engine> engines_;
  std::vector<void*> streams_;
  thread_options options_;
  association order_;
  bool linked_ = true;  // whether kernels of each rank can read all ranks' memory
};

}  // namespace libscan::inline v1
