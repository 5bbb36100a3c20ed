// SPDX-License-Identifier: Apache-2.0
// The strategies of scan-prefix on the machine that this file is compiled for.
#include <apps/prefix/prefix_device.cuh>
#include <apps/prefix/prefix_device.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::apps {

void prefix_on(device::this_machine on, prefix_call const& call, strategy_choice const& choice) {
  device::on_machine const here(on);
  visit_item_type(call.accumulator,
                  [&]<class T>(std::type_identity<T>) { prefix_on_device<T>(call, choice); });
}

}  // namespace libscan::apps
