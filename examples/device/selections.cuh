// SPDX-License-Identifier: Apache-2.0
// Example: masks, a split and runs in device memory, as docs/tour.md shows them.
#pragma once

#include <cstdint>

#include <libscan/filter.cuh>
#include <libscan/runs.cuh>
#include <libscan/split.cuh>

namespace examples {

/// Device memory for selections of some items, large enough for all of them.
struct selections {
  int *kept, *edges, *others, *values;
  libscan::index_t *places, *lengths;
  libscan::index_t *count, *runs;  // one number each
};

/// Items whose bit of `d_words` is set, and where; `is_edge` ones apart from others; runs of
/// equals.
template <class Predicate>
void select_all_ways(libscan::workspace& ws, int const* d_items, std::uint32_t const* d_words,
                     libscan::index_t n, Predicate is_edge, selections const& out) {
  auto const [d_kept, d_edges, d_others, d_values, d_at, d_lengths, d_count, d_runs] = out;

  libscan::filter(ws, d_items, d_kept, n, libscan::bit_mask{d_words}, d_count);  // 32 bits a word
  libscan::mask_indices(ws, libscan::bit_mask{d_words}, d_at, n, d_count);  // numpy.flatnonzero
  libscan::split(ws, d_items, d_edges, d_others, n, is_edge, d_count);      // both in their order
  libscan::run_length_encode(ws, d_items, d_values, d_lengths, libscan::no_output{}, n, d_runs);
}

}  // namespace examples
