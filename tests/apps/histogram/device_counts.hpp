// SPDX-License-Identifier: Apache-2.0
// Counts of a histogram on whichever machine a test was compiled for, beside those of the oracle.
#pragma once

#include <vector>

#include <tests/apps/histogram/histogram_cases.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

/// call(counts, totals) writes what is expected, and nothing else; counts are of type Result.
template <class Result, class Call>
void require_counts(expected_histogram const& expected, char const* algorithm, Call call) {
  INFO(algorithm);
  auto const bins = static_cast<index_t>(expected.counts.size());
  device_image<Result> counts(bins, 3);
  device_image<sample_totals> totals(1);
  call(counts.data(), totals.data());
  auto const got = counts.read();
  REQUIRE(difference(std::vector<Result>(expected.counts.begin(), expected.counts.end()), got) ==
          "");
  REQUIRE(counts.damage() + totals.damage() == "");
  REQUIRE(totals.read()[0] == expected.totals);
}

}  // namespace libscan::test
