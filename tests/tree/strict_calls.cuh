// SPDX-License-Identifier: Apache-2.0
// The same for device calls, in the executor. headers.py compiles it; it is not run.
#pragma once

#include <cstdint>

#include <libscan/adjacent_difference.cuh>
#include <libscan/binary_scan.cuh>
#include <libscan/coo_to_csr.cuh>
#include <libscan/filter.cuh>
#include <libscan/histogram.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/runs.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/split.cuh>
#include <libscan/split_by_key.cuh>
#include <libscan/spmv.cuh>

namespace strict {

template <class T>
struct positive {
  LIBSCAN_HOST_DEVICE constexpr bool operator()(T x) const { return T{} < x; }
};

/// Device memory of n of each.
template <class T>
struct device_arrays {
  libscan::index_t n;
  T const* in;
  T* out;
  T* more;
  std::int32_t* places;
  std::uint32_t* counts;
  std::uint8_t* flags;
  libscan::index_t* count;
};

template <class T, class Heads>
void device_segments(libscan::workspace& ws, device_arrays<T> const& of, Heads const& heads) {
  libscan::inclusive_segmented_scan(ws, of.in, of.out, heads, of.n, libscan::plus<T>{});
  libscan::segmented_reduce(ws, of.in, of.out, heads, of.n, libscan::maximum<T>{});
}

template <class T>
void device_scans(libscan::workspace& ws, device_arrays<T> const& of) {
  libscan::plus<T> const op;
  libscan::inclusive_scan(ws, of.in, of.out, of.n, op);
  libscan::exclusive_scan(ws, of.in, of.out, of.n, libscan::minimum<T>{});
  libscan::reverse_inclusive_scan(ws, of.in, of.out, of.n, op);
  libscan::reduce(ws, of.in, of.out, of.n, op);
  libscan::adjacent_difference(ws, of.in, of.out, of.n);
  device_segments(ws, of, libscan::segment_offsets{of.places, of.n - 1});
  device_segments(ws, of, libscan::segment_ranges{of.places, of.places, of.n});
  device_segments(ws, of, libscan::head_flags{of.flags});
  device_segments(ws, of, libscan::segment_keys{of.in});
  device_segments(ws, of, libscan::equal_segments{3});
  libscan::reduce_by_key(ws, of.in, of.in, of.more, of.out, of.n, op, of.count);
}

template <class T>
void device_moves(libscan::workspace& ws, device_arrays<T> const& of) {
  libscan::filter(ws, of.in, of.out, of.n, positive<T>{}, of.count);
  libscan::filter(ws, of.in, of.out, of.n, libscan::byte_mask{of.flags}, of.count);
  libscan::filter_indices(ws, of.in, of.places, of.n, positive<T>{}, of.count);
  libscan::split(ws, of.in, of.out, of.n, positive<T>{}, of.count);
  libscan::unique(ws, of.in, of.out, of.n, of.count);
  libscan::sort_keys(ws, of.in, of.out, of.n);
  libscan::sort_pairs(ws, of.in, of.out, of.in, of.more, of.n);
  libscan::argsort(ws, of.in, of.places, of.n);
  libscan::segmented_sort_keys(ws, of.in, of.out, of.n, of.places, of.n - 1);
  libscan::histogram(ws, of.in, of.counts, libscan::even_bins<T>(T{}, static_cast<T>(10), 10), of.n,
                     nullptr);
}

inline void of_devices(libscan::workspace& ws, device_arrays<std::int16_t> const& narrow,
                       device_arrays<std::uint64_t> const& wide,
                       device_arrays<float> const& floats) {
  device_scans(ws, narrow);
  device_moves(ws, narrow);
  device_scans(ws, wide);
  device_moves(ws, wide);
  device_scans(ws, floats);
  device_moves(ws, floats);
}

}  // namespace strict
