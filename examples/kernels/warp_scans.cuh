// SPDX-License-Identifier: Apache-2.0
// Examples: scans of one value per lane, by shuffles, in shared memory, and bit by bit.
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/scan.cuh>
#include <libscan/warp/shared_scan.cuh>

namespace examples {

/// out[i] = the greatest of the items up to i, within each warp.
struct running_maximum_kernel {
  __device__ void operator()(float const* in, index_t n, float* out) const {
    index_t const i = this_item();
    maximum<float> const op;
    auto const scanned = warp::inclusive_scan(i < n ? in[i] : op.identity(), op);
    if (i < n) out[i] = scanned.prefix;
  }
};

/// The same through shared memory.
struct shared_running_maximum_kernel {
  struct shared_storage {
    warp::shared_scan_storage<float> warp[block_threads / simt::warp_size];
  };
  __device__ void operator()(shared_storage& shared, float const* in, index_t n, float* out) const {
    index_t const i = this_item();
    maximum<float> const op;
    auto& own = shared.warp[threadIdx.x / simt::warp_size];
    auto const scanned =
        warp::shared_scan<scan_kind::inclusive>(own, i < n ? in[i] : op.identity(), op);
    if (i < n) out[i] = scanned.prefix;
  }
};

/// starts[i] = the bit at which code i begins, within each warp; bits[w] = how many bits warp w
/// has. Lengths are below 16.
struct code_starts_kernel {
  __device__ void operator()(unsigned const* lengths, index_t n, unsigned* starts,
                             unsigned* bits) const {
    index_t const i = this_item();
    auto const place = warp::bitwise_scan<4>(i < n ? lengths[i] : 0u);
    if (i < n) starts[i] = place.prefix;
    if (simt::lane_id() == 0) bits[i / simt::warp_size] = place.total;
  }
};

}  // namespace examples
