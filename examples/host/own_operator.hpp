// SPDX-License-Identifier: Apache-2.0
// Example: an operator of the user's in the host API, as docs/tour.md shows it.
#pragma once

#include <vector>

#include <libscan/callables.hpp>

namespace examples {

/// The product of the factors up to each.
inline std::vector<double> growth_of(std::vector<double> const& factors) {
  std::vector<double> growth(factors.size());

  auto const product = [](double earlier, double later) { return earlier * later; };
  libscan::inclusive_scan(libscan::engine::cpu(), factors, growth, product);

  return growth;
}

}  // namespace examples
