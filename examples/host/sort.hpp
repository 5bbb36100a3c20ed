// SPDX-License-Identifier: Apache-2.0
// Example: the sorts of the host API, as docs/tour.md shows them.
#pragma once

#include <vector>

#include <libscan/radix_sort.hpp>

namespace examples {

/// Prices from the largest down, rows by their keys, and the prices' positions in ascending order.
struct sorted_tables {
  std::vector<float> prices;
  std::vector<int> keys, rows;
  std::vector<libscan::index_t> positions;
};

/// Three sorts on one engine; `keys` and `rows` belong together.
inline sorted_tables sort_tables(libscan::engine const& engine, std::vector<float> const& prices,
                                 std::vector<int> const& keys, std::vector<int> const& rows) {
  std::vector<float> sorted(prices.size());
  std::vector<int> sorted_keys(keys.size()), sorted_rows(rows.size());
  std::vector<libscan::index_t> positions(prices.size());

  libscan::sort_keys(engine, prices, sorted, {.direction = libscan::sort_direction::descending});
  libscan::sort_pairs(engine, keys, sorted_keys, rows, sorted_rows);  // in-place too
  libscan::argsort(engine, prices, positions);  // numpy.argsort(kind='stable')

  return {sorted, sorted_keys, sorted_rows, positions};
}

}  // namespace examples
