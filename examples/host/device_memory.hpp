// SPDX-License-Identifier: Apache-2.0
// Example: running totals per row of device memory, from plain C++, as docs/tour.md shows them.
#pragma once

#include <cstddef>
#include <span>

#include <libscan/device_calls.hpp>

namespace examples {

/// Sums n values on `on` within rows, into `sums`, in the stream's order. `offsets`, rows + 1 of
/// them, and all else is device memory. `pool` gives temporary memory.
inline void sum_rows_on(libscan::engine const& on, void* stream,
                        libscan::memory_functions const& pool, float const* values, float* sums,
                        libscan::index_t n, libscan::index_t const* offsets, std::size_t rows) {
  libscan::device_queue const queue{.on = on, .stream = stream, .memory = pool};
  auto const by_row = libscan::segmentation::of_offsets(std::span(offsets, rows + 1));
  libscan::inclusive_segmented_scan(queue, libscan::device_span<float const>{values, n}, sums,
                                    by_row);
}

}  // namespace examples
