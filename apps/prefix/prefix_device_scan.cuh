// SPDX-License-Identifier: Apache-2.0
// The implementation of `prefix_on_device`. A separate kernel widens and reverses items, so that
// every strategy scans a plain array of accumulators, as in the literature.
#pragma once

#include <type_traits>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_device.cuh>
#include <apps/prefix/prefix_transfer.cuh>
#include <libscan/textbook/catalog.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// See prefix_device.cuh.
template <class T>
void prefix_on_device(prefix_call const& call, scan_strategy which, int block) {
  namespace strategies = device::strategies;
  scan_on_device<T>(call, [&]<class Word>(Word* items, auto op, Word init) {
    strategies::with_strategy<strategies::default_block_scan, strategies::max_block_threads>(
        which, [&](auto strategy) {
          if constexpr (std::is_constructible_v<decltype(strategy), int>) {
            int const usual = which == scan_strategy::one_block ? strategies::max_block_threads
                                                                : strategies::default_block_threads;
            strategy = decltype(strategy)(block == 0 ? usual : block);
          }
          workspace ws;
          Word* const no_total = nullptr;
          if (call.kind == scan_kind::inclusive) {
            scan_with<scan_kind::inclusive>(strategy, ws, items, items, call.n, op, no_total, init);
          } else {
            scan_with<scan_kind::exclusive>(strategy, ws, items, items, call.n, op, no_total, init);
          }
        });
  });
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
