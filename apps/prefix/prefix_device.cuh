// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_strategies`. A separate kernel widens and reverses items, so that
// every strategy scans a plain array of accumulators, as in the literature.
#pragma once

#include <type_traits>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <apps/prefix/prefix_transfer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/textbook/catalog.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {

/// See prefix_scan.hpp.
template <class Machine, class T>
void device_strategies<Machine, T>::run(Machine on, prefix_call const& call,
                                        strategy_choice const& choice) {
  device::on_machine const here(on);
  namespace strategies = device::strategies;
  scan_strategy const which = choice.strategy;
  scan_on_device<T>(call, [&]<class Word>(Word* items, auto op, Word init) {
    auto const scan = [&](auto strategy, auto by) {
      if constexpr (std::is_constructible_v<decltype(strategy), int>) {
        int const usual = which == scan_strategy::one_block ? strategies::max_block_threads
                                                            : strategies::default_block_threads;
        strategy = decltype(strategy)(choice.block == 0 ? usual : choice.block);
      }
      workspace ws;
      Word* const no_total = nullptr;
      if (call.kind == scan_kind::inclusive) {
        scan_with<scan_kind::inclusive>(strategy, ws, items, items, call.n, by, no_total, init);
      } else {
        scan_with<scan_kind::exclusive>(strategy, ws, items, items, call.n, by, no_total, init);
      }
    };
    constexpr int max_threads = strategies::max_block_threads;
    if (choice.block_scan) {
      strategies::with_block_scan_in<max_threads>(which, *choice.block_scan, op, scan);
    } else {
      strategies::with_strategy<strategies::default_block_scan, max_threads>(
          which, [&](auto strategy) { scan(strategy, op); });
    }
  });
}

}  // namespace libscan::apps
