// SPDX-License-Identifier: Apache-2.0
// The failure that docs/distributed.md shows: every rank hears of it.
#include <cstddef>
#include <exception>

#include <examples/host/simulated_ranks.hpp>
#include <libscan/distributed/error.hpp>
#include <tests/support/catch.hpp>

TEST_CASE("a send that fails is thrown on its rank, and reported on all others") {
  auto const outcomes = examples::sum_with_a_failure(7);
  REQUIRE(outcomes.size() == 64);
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    INFO("rank " << rank);
    REQUIRE(outcomes[rank]);
    if (rank == 3) {
      CHECK_THROWS_AS(std::rethrow_exception(outcomes[rank]), libscan::injected_failure);
    } else {
      CHECK_THROWS_AS(std::rethrow_exception(outcomes[rank]), libscan::remote_error);
    }
  }
}
