// SPDX-License-Identifier: Apache-2.0
// The places of a block of samples against those of one sample after another: by the vector code of
// every instruction set that this CPU has and Highway compiled for, and by searches side by side.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/highway.h>

#include <apps/histogram/cpu/place_tables.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>

using namespace libscan;
using namespace libscan::test;
using cpu::detail::histogram_block;

namespace {

/// Samples about `near`, the ends of the type, and any: a number of whole blocks.
template <class Sample>
std::vector<Sample> samples_about(std::vector<Sample> const& near) {
  using limits = std::numeric_limits<Sample>;
  std::vector<Sample> samples{limits::lowest(), limits::max(), Sample{0}};
  if constexpr (limits::has_infinity) {
    for (Sample const x : {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                           -limits::quiet_NaN(), limits::denorm_min(), Sample{-0.0}}) {
      samples.push_back(x);
    }
  }
  for (Sample const x : near) {
    samples.push_back(x);
    if constexpr (limits::is_integer) {
      if (x != limits::max()) samples.push_back(static_cast<Sample>(x + 1));
      if (x != limits::lowest()) samples.push_back(static_cast<Sample>(x - 1));
    } else {
      samples.push_back(std::nextafter(x, limits::max()));
      samples.push_back(std::nextafter(x, limits::lowest()));
    }
  }
  std::mt19937_64 random(1);
  do {
    std::uint64_t const bits = random();
    Sample any;
    std::memcpy(&any, &bits, sizeof(any));
    samples.push_back(any);
  } while (samples.size() % histogram_block != 0);
  return samples;
}

/// Requires that find_block(samples, places) finds what rule.find does.
template <class Sample, class Rule, class FindBlock>
void require_places(std::vector<Sample> const& samples, Rule const& rule, FindBlock find_block) {
  for (std::size_t i = 0; i < samples.size(); i += histogram_block) {
    guarded_buffer<int> places(histogram_block, 1);
    find_block(samples.data() + i, places.data());
    REQUIRE(places.damage() == "");
    auto const found = places.copy();
    for (std::size_t k = 0; k < histogram_block; ++k) {
      INFO("sample " << samples[i + k] << ", " << rule.bins() << " bins");
      REQUIRE(found[k] == rule.find(samples[i + k]));
    }
  }
}

template <class Sample, class Rule>
void require_all_targets(std::vector<Sample> const& samples, Rule const& rule) {
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    auto const all = cpu::detail::current_place_finders();
    hwy::SetSupportedTargetsForTest(0);
    auto const find = std::get<cpu::detail::place_finder<Sample, Rule>>(all);
    require_places(samples, rule, [&](auto from, auto to) { find(rule, from, to); });
  }
}

/// Requires that a block is found to be inside the bins if and only if every sample has one, which
/// its distance from the first is then.
template <class Sample>
void require_inside_checks(std::vector<Sample> const& samples, integer_bins<Sample> const& rule) {
  auto const find = [&](Sample x) { return rule.find(x); };
  cpu::detail::block_places<Sample, integer_bins<Sample>, decltype(find)> const places(rule, find);
  auto const distance = places.distances();
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    auto const all = cpu::detail::current_inside_checks();
    hwy::SetSupportedTargetsForTest(0);
    auto const inside = std::get<cpu::detail::integer_inside_check<Sample>>(all);
    for (std::size_t i = 0; i < samples.size(); i += histogram_block) {
      std::span<Sample const> const block(samples.data() + i, histogram_block);
      bool expected = true;
      for (Sample const x : block) expected = expected && rule.find(x) < rule.bins();
      INFO("block at " << i << ", " << rule.bins() << " bins from " << rule.first());
      REQUIRE(inside(rule, block.data()) == expected);
      REQUIRE(places.inside(block.data()) == expected);
      for (Sample const x : block) {
        if (expected) REQUIRE(distance(x) == rule.find(x));
      }
    }
  }
}

/// Blocks all inside the bins, and then each such block with one sample that is not, if there is
/// any, at every place.
template <class Sample>
std::vector<Sample> blocks_inside(integer_bins<Sample> const& rule) {
  std::mt19937_64 random(2);
  auto const first = static_cast<std::uint64_t>(rule.first());
  auto const last = static_cast<std::uint64_t>(rule.last());
  auto const any = [&] { return static_cast<Sample>(first + random() % (last - first + 1)); };
  std::vector<Sample> samples{rule.first(), rule.last()};
  while (samples.size() < histogram_block) samples.push_back(any());
  Sample const outside[] = {static_cast<Sample>(first - 1), static_cast<Sample>(last + 1)};
  for (std::size_t k = 0; k < histogram_block; ++k) {
    for (index_t i = 0; i < histogram_block; ++i) samples.push_back(any());
    samples[samples.size() - histogram_block + k] = outside[k % 2];
  }
  return samples;
}

}  // namespace

TEMPLATE_TEST_CASE("vector code finds places in integer bins", "", std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<TestType>;
  auto const middle = static_cast<TestType>(limits::max() / 2 + 3);
  for (TestType const first : {limits::min(), TestType{0}, TestType{20}, middle,
                               static_cast<TestType>(limits::max() - 5)}) {
    for (index_t const bins : {1, 2, 300, max_bins}) {
      integer_bins<TestType> const rule(first, bins);
      CHECK(rule.first() == first);
      CHECK(rule.find(rule.last()) <= bins - 1);
      if (rule.last() != limits::max()) CHECK(rule.find(rule.last()) == bins - 1);
      auto const about = samples_about<TestType>({first, rule.last(), middle});
      require_all_targets(about, rule);
      require_inside_checks(about, rule);
      require_inside_checks(blocks_inside(rule), rule);
    }
  }
}

TEMPLATE_TEST_CASE("vector code finds places in even bins", "", std::int32_t, std::uint32_t, float,
                   double) {
  using limits = std::numeric_limits<TestType>;
  for (auto const& [lo, hi] : {std::pair{0.0, 100.0},
                               {-3.5, 99.7},
                               {0.1, 0.7},
                               {-1e300, 1e300},
                               {2147483000.0, 2147484000.0},
                               {1e5, 2e5},
                               {-5e9, -4.9e9}}) {
    for (int const bins : {1, 7, 300}) {
      INFO(lo << " to " << hi);
      even_bins<TestType> const rule(lo, hi, bins);
      if (!rule.proven()) continue;
      std::vector<TestType> near;
      for (int k = 0; k <= bins; ++k) {
        double const edge = rule.edge(k);
        if (edge >= double(limits::lowest()) && edge <= double(limits::max())) {
          near.push_back(static_cast<TestType>(edge));
        }
      }
      require_all_targets(samples_about(near), rule);
    }
  }
}

TEMPLATE_TEST_CASE("searches side by side find places between edges", "", std::int8_t,
                   std::uint64_t, float, double) {
  for (std::vector<double> const& edges : {std::vector<double>{0, 1},
                                           {-5.5, 0, 0, 0, 3, 99.5},
                                           {1, 1},
                                           {2, 3, 5, 7, 11, 13, 17, 19},
                                           {-1e300, 0.5, 1e18, 1e300}}) {
    edge_bins<TestType, double> const rule(edges.data(), static_cast<index_t>(edges.size()) - 1);
    std::vector<TestType> near;
    for (double const edge : edges) {
      if (edge >= 0 && edge <= 127) near.push_back(static_cast<TestType>(edge));
    }
    require_places(samples_about(near), rule, [&](auto from, auto to) {
      for (int k = 0; k < histogram_block; k += cpu::detail::searches_at_once) {
        cpu::detail::search_edges(rule, from + k, to + k);
      }
    });
  }
}
