// SPDX-License-Identifier: Apache-2.0
// From a call's engine and accumulator to the code compiled for them.
#include <apps/prefix/prefix_scan.hpp>

#include <string>

#include <apps/prefix/heads.hpp>
#include <apps/prefix/prefix_cpu.hpp>
#include <apps/prefix/prefix_device.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

static_assert(cpu::staged_chunk_items <= deepest_sum(0));

namespace {

/// On CUDA device `device`, of a build with nvcc.
template <class Device>
void prefix_scan_on(Device device, prefix_call const& call) {
  using form = segmentation::form;
  if (call.segments.how == form::none) {
    return prefix_on_cuda(device, call, scan_strategy::production);
  }
  if (call.segments.how == form::bits && call.direction == scan_direction::forward) {
    auto const* const words = static_cast<std::uint32_t const*>(call.segments.data);
    return segmented_prefix_on_cuda(device, call, words);
  }
  segmented_prefix_on_cuda(device, call, packed_heads(cpu::default_threads(), call).data());
}

}  // namespace

void prefix_scan(engine const& on, prefix_call const& call) {
  libscan::detail::on_engine(
      on, [&](auto device) { apps::prefix_scan_on(device, call); },
      [&](int threads) {
        visit_item_type(call.accumulator,
                        [&]<class T>(std::type_identity<T>) { prefix_on_cpu<T>(threads, call); });
      });
}

void prefix_scan_by(engine const& on, scan_strategy which, prefix_call const& call) {
  libscan::detail::on_engine(
      on, [&](auto device) { prefix_on_cuda(device, call, which); },
      [&](auto) {
        if (call.n > executor_limit) {
          throw invalid_argument(
              "--algorithm without a GPU runs in the executor, which takes up to " +
              std::to_string(executor_limit) + " items; the input has " + std::to_string(call.n));
        }
        if constexpr (libscan::detail::has_executor) {
          prefix_in_executor(call, which);
        } else {
          libscan::detail::refuse_executor();
        }
      });
}

}  // namespace libscan::apps
