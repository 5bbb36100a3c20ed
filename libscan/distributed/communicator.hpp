// SPDX-License-Identifier: Apache-2.0
// A group of ranks that call libscan together. Needs neither mpi.h nor nccl.h.
#pragma once

#include <memory>
#include <utility>

#include <libscan/distributed/transport.hpp>

namespace libscan::inline v1 {

/// The ranks of a collective call, and this rank among them. A small value, freely copied; copies
/// share one transport. A rank makes one call at a time on it.
class communicator {
 public:
  /// The communicator of one rank, which needs no other library.
  static communicator self();

  /// The ranks that `through` connects; not null. Users call `self`, `communicator_of`
  /// (libscan/distributed/mpi.hpp) or `simulated_ranks` instead.
  explicit communicator(std::shared_ptr<transport> through) : through_((std::move)(through)) {}

  /// This rank, in [0, size()).
  int rank() const { return through_->rank(); }

  /// The number of ranks, at least 1.
  int size() const { return through_->size(); }

  /// What moves the bytes.
  transport& through() const { return *through_; }

 private:
  std::shared_ptr<transport> through_;
};

}  // namespace libscan::inline v1
