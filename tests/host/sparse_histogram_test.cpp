// SPDX-License-Identifier: Apache-2.0
// The host API's histogram of the bins that are not empty, against a map.
#include <libscan/histogram.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("a sparse histogram has the bins that are not empty") {
  engine const on = engine::cpu(2);
  integer_bins<std::int16_t> const rule(-30000, 60000);
  auto const samples = make_input<std::int16_t>(pattern::random, 500);
  std::map<int, std::uint32_t> expected;
  index_t inside = 0;
  for (std::int16_t const sample : samples) {
    if (sample < -30000 || sample >= 30000) continue;
    ++expected[sample + 30000];
    ++inside;
  }
  std::vector<int> bins(samples.size(), -1);
  std::vector<std::uint32_t> counts(samples.size(), 77);
  auto const [filled, totals] = sparse_histogram(on, samples, bins, counts, rule);
  REQUIRE(filled == static_cast<index_t>(expected.size()));
  CHECK(totals.inside == inside);
  std::size_t next = 0;
  for (auto const& [bin, count] : expected) {
    CHECK((bins[next] == bin && counts[next] == count));
    ++next;
  }
  CHECK((next == samples.size() || (bins[next] == -1 && counts[next] == 77)));

  CHECK_THROWS_WITH(sparse_histogram(on, samples, std::span(bins).first(2), counts, rule),
                    Contains("bins are not empty; expected space for as many"));
  std::vector<std::int8_t> small(samples.size());
  CHECK_THROWS_WITH(sparse_histogram(on, samples, small, counts, rule),
                    Contains("60000 bins; expected a type of bins that can hold their numbers"));
  integer_bins<std::int16_t> const few(0, 128);
  CHECK(sparse_histogram(on, samples, small, counts, few).filled >= 0);
  auto shared = samples;
  CHECK_THROWS_WITH(sparse_histogram(on, shared, shared, counts, few), Contains("samples"));
  CHECK_THROWS_WITH(sparse_histogram(on, shared, small, shared, few), Contains("samples"));
  CHECK(shared == samples);
  std::vector<std::int16_t> edges{-5, 0, 7, 100};
  edge_bins<std::int16_t> const between(edges.data(), 3);
  CHECK_THROWS_WITH(sparse_histogram(on, samples, edges, counts, between), Contains("edges"));
  CHECK_THROWS_WITH(sparse_histogram(on, samples, small, edges, between), Contains("edges"));
  std::vector<std::int16_t> const none;
  CHECK(sparse_histogram(on, none, bins, counts, rule).filled == 0);
}

}  // namespace
}  // namespace libscan::test
