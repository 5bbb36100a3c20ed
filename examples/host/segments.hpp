// SPDX-License-Identifier: Apache-2.0
// Example: scans and sums within rows, into wider types, and ranks, as docs/tour.md shows them.
#pragma once

#include <cstdint>
#include <vector>

#include <libscan/segmented.hpp>

namespace examples {

/// What the calls return.
struct row_sums {
  std::vector<float> sums, totals;
  std::vector<long> wide;
  std::vector<std::uint32_t> places;
};

/// Scans and sums `prices` in the rows between `offsets`, and `bytes` as one row.
inline row_sums sum_rows(libscan::engine const& engine, std::vector<float> const& prices,
                         std::vector<std::int32_t> const& offsets,
                         std::vector<std::uint8_t> const& bytes) {
  std::vector<float> sums(prices.size()), totals(offsets.size() - 1);
  std::vector<long> wide(bytes.size());
  std::vector<std::uint32_t> places(bytes.size());

  // Segments of any form: of_flags, of_bits, of_offsets, of_keys, of_length, of_ranges.
  auto const rows = libscan::segmentation::of_offsets(offsets);
  libscan::inclusive_segmented_scan(engine, prices, sums, rows);  // starts again in each row
  libscan::segmented_reduce(engine, prices, totals, rows, libscan::maximum<float>{});
  libscan::inclusive_scan(engine, bytes, wide, libscan::plus<long>{});  // as numpy.cumsum
  libscan::exclusive_binary_scan(engine, libscan::item_mask::of_flags(bytes), places);

  return {sums, totals, wide, places};
}

}  // namespace examples
