// SPDX-License-Identifier: Apache-2.0
// Ranks for tests and for teaching: fibers of one process under seeded schedules, with failures on
// request. A deadlock ends with a message that names each rank's call.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/communicator.hpp>

namespace libscan::inline v1 {

/// The failure that `simulated_ranks::fail` plans.
class injected_failure : public error {
 public:
  using error::error;
};

/// Runs a function once per rank, each on a stack of its own (128 KiB), in one thread. Which rank
/// runs next, and how long a result is delayed, depends only on `seed`. Link libscan::simulated.
class simulated_ranks {
 public:
  /// Throws: `invalid_argument` if `ranks` < 1.
  explicit simulated_ranks(int ranks, std::uint64_t seed = 0);
  ~simulated_ranks();
  simulated_ranks(simulated_ranks const&) = delete;
  simulated_ranks& operator=(simulated_ranks const&) = delete;

  /// Send number `send` of `rank` in the next run, counted from 0, throws `injected_failure`. A
  /// collective function is one send; an exchange is one send per message. Throws:
  /// `invalid_argument` if there is no such rank.
  void fail(int rank, index_t send);

  /// At that send the rank stops without a word, as a process that is killed. Throws as `fail`.
  void lose(int rank, index_t send);

  /// Runs `body` on all ranks. Returns the exception of each rank, null for success. A rank that
  /// was lost has `communicator_lost`. Throws: an `error` without memory for the stacks.
  std::vector<std::exception_ptr> outcomes(std::function<void(communicator const&)> const& body);

  /// The same; rethrows the exception of the lowest rank with one of its own, not a `remote_error`.
  void run(std::function<void(communicator const&)> const& body);

  /// The number of sends of `rank` in the last run. Throws as `fail`.
  index_t sends(int rank) const;

 private:
  struct world;
  std::size_t checked_rank(int rank) const;
  std::unique_ptr<world> world_;
};

}  // namespace libscan::inline v1
