// SPDX-License-Identifier: Apache-2.0
// What distributed calls throw when the failure is another rank's.
#pragma once

#include <string>

#include <libscan/core/error.hpp>

namespace libscan::inline v1 {

/// Another rank of a collective call failed. The rank itself throws its own exception.
class remote_error : public error {
 public:
  remote_error(int rank, std::string const& what)
      : error("rank " + std::to_string(rank) + " failed: " + what), rank_(rank) {}

  /// The rank that failed; the lowest, if several did.
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// The ranks can no longer communicate: one of them was lost, or made no progress for too long, or
/// they wait for each other. The message names ranks and their calls. No later call on the same
/// communicator can succeed.
class communicator_lost : public error {
 public:
  using error::error;
};

}  // namespace libscan::inline v1
