// SPDX-License-Identifier: Apache-2.0
// All textbook block scans, and one call for any of them: the algorithm is a type.
#pragma once

#include <libscan/textbook/block/blelloch.cuh>
#include <libscan/textbook/block/brent_kung.cuh>
#include <libscan/textbook/block/hillis_steele.cuh>
#include <libscan/textbook/block/kogge_stone.cuh>
#include <libscan/textbook/block/quadratic.cuh>
#include <libscan/textbook/block/sequential.cuh>

namespace libscan::inline LIBSCAN_MACHINE::block::textbook {

/// Replaces a tile's items by their prefixes, with any textbook scan; returns the total to all
/// threads. items[k] is number k * threads + thread of the tile, for k <
/// Algorithm::items_per_thread. Threads past the last item pass the identity. `shared` is an
/// Algorithm::storage<T, MaxThreads> for at least as many threads as the block has.
/// Synchronization: all threads of a one-dimensional block call. Ends with a barrier.
template <scan_kind Kind, class Algorithm, class Storage, class T, int Items, class Op>
__device__ T scan_tile(Storage& shared, T (&items)[Items], Op op) {
  static_assert(Items == Algorithm::items_per_thread);
  if constexpr (Items == 1) {
    auto const scanned = Kind == scan_kind::inclusive ? Algorithm::inclusive(shared, items[0], op)
                                                      : Algorithm::exclusive(shared, items[0], op);
    items[0] = scanned.prefix;
    return scanned.total;
  } else {
    auto const scanned = Kind == scan_kind::inclusive ? Algorithm::inclusive(shared, items, op)
                                                      : Algorithm::exclusive(shared, items, op);
#pragma unroll
    for (int k = 0; k < Items; ++k) items[k] = scanned.prefix[k];
    return scanned.total;
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::block::textbook
