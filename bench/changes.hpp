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

  /// What a repeated run may differ by: the noise of both, 2 % at least.
  double noise() const;

  /// Beyond the noise.
  bool slower() const { return ratio() > 1 + noise(); }
  bool faster() const { return 1 / ratio() > 1 + noise(); }
};

/// The contenders that are in both lists, in the order of `after`.
std::vector<change> changes(std::vector<result> const& before, std::vector<result> const& after);

/// The first words of the names of those that libscan is compared with.
inline constexpr std::array<std::string_view, 16> names_of_others{
    "memcpy",         "memset",   "cub",   "cub-newest", "thrust", "std",    "tbb",   "sequential",
    "cpu-sequential", "cusparse", "eigen", "openmp",     "merge",  "vqsort", "boost", "parlaylib"};

/// Whether a contender of that name is libscan's, not one of those it is compared with.
bool is_ours(std::string const& name);

}  // namespace libscan::bench
