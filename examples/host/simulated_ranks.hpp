// SPDX-License-Identifier: Apache-2.0
// Example: a test of code that runs on ranks, with a send that fails, as docs/distributed.md shows
// it.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/simulated_ranks.hpp>

namespace examples {

/// The exception of each of 64 ranks, or null, if the first send of rank 3 fails.
inline std::vector<std::exception_ptr> sum_with_a_failure(std::uint64_t seed) {
  libscan::simulated_ranks ranks(64, seed);
  ranks.fail(3, 0);  // the first send of rank 3 fails; lose(3, 0) stops the rank there
  return ranks.outcomes([](libscan::communicator const& comm) {
    libscan::reduce(libscan::ranks{comm, libscan::engine::cpu()}, std::vector{1, 2, 3});
  });
}

}  // namespace examples
