// SPDX-License-Identifier: Apache-2.0
// Example: three device-wide calls in a row. Each reads on the device the number of items that the
// previous one left there. The host queues them without knowing that number, so a CUDA graph can
// hold all three.
#pragma once

#include <algorithm>
#include <cstddef>

#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/scan.cuh>

namespace examples {
using namespace libscan;

/// Whether a reading is above a threshold.
struct above {
  float threshold;
  __device__ bool operator()(float reading) const { return reading > threshold; }
};

/// Device memory for the results on up to n readings: what is above the threshold, `*kept` values.
struct ranked_readings {
  float* values;     // in the order of the readings, then
  double* sums;      // the sum of each and all before it,
  unsigned* places;  // and the values' places from the largest down
  index_t* kept;
};

/// Bytes of workspace `rank_readings` needs for up to n readings. The calls share one workspace,
/// since a stream runs them one after the other.
inline std::size_t rank_readings_bytes(index_t n) {
  return std::max({filter_workspace_bytes<float>(n), scan_workspace_bytes<double>(n),
                   argsort_workspace_bytes<float, unsigned>(n)});
}

/// Keeps the readings above `threshold`, sums them, and ranks them. Asynchronous on the workspace's
/// stream; may be captured in a graph if the workspace lies over the caller's memory.
inline void rank_readings(workspace& ws, float const* readings, index_t n, float threshold,
                          ranked_readings const& out) {
  filter(ws, readings, out.values, n, above{threshold}, out.kept);
  auto const kept = item_count::on_device(out.kept, n);
  float const* const values = out.values;
  inclusive_scan(ws, values, out.sums, kept, plus<double>{});
  argsort(ws, values, out.places, kept, sort_order<float>{.direction = sort_direction::descending});
}

}  // namespace examples
