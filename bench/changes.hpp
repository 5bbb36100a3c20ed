// SPDX-License-Identifier: Apache-2.0
// What changed between two lists of results, beyond their noise.
#pragma once

#include <string>
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

/// Whether a contender of that name is libscan's, not one of those it is compared with.
bool is_ours(std::string const& name);

}  // namespace libscan::bench
