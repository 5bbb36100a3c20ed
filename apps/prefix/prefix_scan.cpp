// SPDX-License-Identifier: Apache-2.0
// The scans of scan-prefix are those of the host API; strategies are compiled only for it.
#include <apps/prefix/prefix_scan.hpp>

#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

static_assert(cpu::staged_chunk_items <= deepest_sum(0));

void prefix_scan(engine const& on, prefix_call const& call) {
  libscan::detail::run_host_scan(on, host_scan_of(call));
}

void prefix_scan_by(engine const& on, strategy_choice const& choice, prefix_call const& call) {
  // Without a GPU a strategy runs in the executor.
  engine const machine = on.runs_kernels() ? on : engine::executor();
  libscan::detail::on_engine(
      machine, call.n,
      [&](auto device) {
        visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
          device_strategies<decltype(device), T>::run(device, call, choice);
        });
      },
      [](int) {});
}

}  // namespace libscan::apps
