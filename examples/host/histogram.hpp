// SPDX-License-Identifier: Apache-2.0
// Example: the histogram of the host API, as docs/tour.md shows it.
#pragma once

#include <cstdint>
#include <vector>

#include <libscan/histogram.hpp>

namespace examples {

/// Counts prices in 50 bins from 0 to 100; returns how many are below, inside, above, or NaN.
inline libscan::sample_totals count_prices(libscan::engine const& engine,
                                           std::vector<float> const& prices,
                                           std::vector<std::int64_t>& counts) {
  libscan::even_bins<float> const bins(0, 100, 50);
  auto const totals = libscan::histogram(engine, prices, counts, bins);
  return totals;
}

}  // namespace examples
