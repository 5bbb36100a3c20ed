// SPDX-License-Identifier: Apache-2.0
// What changed between two lists of results, beyond their noise.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <bench/measure.hpp>

namespace libscan::bench {

/// A contender's times in two records.
struct change {
  result before, after;

  /// after / before.
  double ratio() const { return after.median_us / before.median_us; }

  /// The relative difference that a repeated run may show: the noise of both, at least 2 %.
  double noise() const;

  /// Slower beyond the noise.
  bool slower() const { return ratio() > 1 + noise(); }
  bool faster() const { return 1 / ratio() > 1 + noise(); }
};

/// The contenders that are in both lists, in the order of `after`.
std::vector<change> changes(std::vector<result> const& before, std::vector<result> const& after);

/// The first words of the competitors' names.
inline constexpr std::array<std::string_view, 16> names_of_others{
    "memcpy",         "memset",   "cub",   "cub-newest", "thrust", "std",    "tbb",   "sequential",
    "cpu-sequential", "cusparse", "eigen", "openmp",     "merge",  "vqsort", "boost", "parlaylib"};

/// Whether a contender of that name is libscan's, not a competitor.
bool is_ours(std::string const& name);

}  // namespace libscan::bench
