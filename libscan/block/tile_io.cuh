// SPDX-License-Identifier: Apache-2.0
// Moving a tile between global memory and registers. Accesses are striped, so neighboring threads
// touch neighboring items, while a thread's own items are consecutive. Shared memory converts
// between the two.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block {

/// Shared memory for the conversion. Reusable as soon as a call has returned.
template <class T, int MaxThreads, int ItemsPerThread>
struct tile_storage {
  static constexpr int items = MaxThreads * ItemsPerThread;
  T item[items + items / simt::warp_size];

  /// One item of padding per 32, so a thread's consecutive items are in distinct banks (Harris
  /// 2007).
  __device__ T& at(int i) { return item[i + i / simt::warp_size]; }
};

/// items[k] = T(in[base + thread * ItemsPerThread + k]) for the first `valid` items of the tile at
/// `base`, `fill` for the others.
/// Synchronization: all `threads` (1 to MaxThreads) of a one-dimensional block call. Ends with a
/// barrier.
template <class T, int MaxThreads, int ItemsPerThread, class In>
__device__ void load_tile(tile_storage<T, MaxThreads, ItemsPerThread>& storage, In in, index_t base,
                          int valid, T fill, T (&items)[ItemsPerThread], int threads = MaxThreads) {
  int const thread = static_cast<int>(threadIdx.x);
  if (valid == threads * ItemsPerThread) {
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k) {
      items[k] = static_cast<T>(in[base + (k * threads + thread)]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k) {
      int const i = k * threads + thread;
      items[k] = i < valid ? static_cast<T>(in[base + i]) : fill;
    }
  }
#pragma unroll
  for (int k = 0; k < ItemsPerThread; ++k) storage.at(k * threads + thread) = items[k];
  simt::sync_block();
#pragma unroll
  for (int k = 0; k < ItemsPerThread; ++k) items[k] = storage.at(thread * ItemsPerThread + k);
  simt::sync_block();
}

/// out[base + thread * ItemsPerThread + k] = items[k] for the first `valid` items of the tile at
/// `base`. Writes no other item.
/// Synchronization: all `threads` (1 to MaxThreads) of a one-dimensional block call. Ends with a
/// barrier.
template <class T, int MaxThreads, int ItemsPerThread, class Out>
__device__ void store_tile(tile_storage<T, MaxThreads, ItemsPerThread>& storage, Out out,
                           index_t base, int valid, T const (&items)[ItemsPerThread],
                           int threads = MaxThreads) {
  int const thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int k = 0; k < ItemsPerThread; ++k) storage.at(thread * ItemsPerThread + k) = items[k];
  simt::sync_block();
#pragma unroll
  for (int k = 0; k < ItemsPerThread; ++k) {
    int const i = k * threads + thread;
    if (i < valid) out[base + i] = storage.at(i);
  }
  simt::sync_block();
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block
