// SPDX-License-Identifier: Apache-2.0
// Example: a filter and a sort of device memory, from plain C++, as docs/tour.md shows them.
#pragma once

#include <libscan/filter_device_calls.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/sort_device_calls.hpp>

namespace examples {

/// Keeps the values from 4.5 on and sorts them, in the stream's order: without a wait between the
/// two, since their number, *kept_count, stays in device memory.
inline void sort_kept_on(libscan::engine const& on, void* stream, float const* values, float* kept,
                         float* sorted, libscan::index_t n, libscan::index_t* kept_count) {
  libscan::device_queue const queue{.on = on, .stream = stream};
  auto const large = libscan::parse_predicate<float>(">= 4.5");
  libscan::filter(queue, libscan::device_span<float const>{values, n}, kept, large, kept_count);
  libscan::sort_keys(queue, libscan::device_span<float>{kept, n, kept_count}, sorted);
}

}  // namespace examples
