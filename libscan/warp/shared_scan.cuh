// SPDX-License-Identifier: Apache-2.0
// Scan of one value per lane in padded shared memory: 32 identities before the values replace every
// bounds check (Sengupta, Harris & Garland 2008; Harris & Garland, Listing 3.1). The printed form
// relies on lanes in lockstep, which GPUs since Volta do not guarantee; here a barrier makes it
// explicit.
#pragma once

#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// Shared memory of one warp. Reusable as soon as a scan has returned.
template <class T>
struct shared_scan_storage {
  T value[2 * simt::warp_size];
};

/// prefix = x[0] op ... op x[lane] (inclusive) or x[0] op ... op x[lane - 1]; total = all 32.
/// Types: the operator need not commute.
/// Synchronization: all lanes of the warp call, with their warp's storage. Orders the warp's shared
/// memory, as a __syncwarp at its end does.
template <scan_kind Kind = scan_kind::exclusive, class T, class Op>
__device__ scan_result<T> shared_scan(shared_scan_storage<T>& storage, T x, Op op) {
  int const at = simt::warp_size + simt::lane_id();
  storage.value[at - simt::warp_size] = op.identity();
  storage.value[at] = x;
  simt::sync_warp();
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    T const earlier = storage.value[at - distance];
    simt::sync_warp();  // all lanes have read before any writes
    storage.value[at] = x = op(earlier, x);
    simt::sync_warp();
  }
  scan_result<T> const result{Kind == scan_kind::inclusive ? x : storage.value[at - 1],
                              storage.value[2 * simt::warp_size - 1]};
  simt::sync_warp();
  return result;
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
