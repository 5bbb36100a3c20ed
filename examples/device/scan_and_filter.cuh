// SPDX-License-Identifier: Apache-2.0
// Example: a scan and a filter of device memory, as README.md shows them.
#pragma once

#include <libscan/filter.cuh>
#include <libscan/scan.cuh>

namespace examples {

/// Whether a number is odd.
struct is_odd {
  __device__ bool operator()(int x) const { return x % 2 != 0; }
};

/// Writes the sums before each of n lengths and of all, then those that are odd, and how many.
inline void scan_and_filter(libscan::simt::stream stream, int const* d_lengths, libscan::index_t n,
                            int* d_offsets, int* d_total, int* d_kept, libscan::index_t* d_count) {
  is_odd const is_edge;

  libscan::workspace ws{stream};  // grows as needed; CUDA graphs need a view of your own memory
  libscan::exclusive_scan(ws, d_lengths, d_offsets, n, libscan::plus<int>{}, d_total);
  libscan::filter(ws, d_offsets, d_kept, n, is_edge, d_count);  // the count stays on the device
}

}  // namespace examples
