// SPDX-License-Identifier: Apache-2.0
// scan-prefix in the executor. For the C++ compiler, not for nvcc.
#include <apps/prefix/prefix_device.cuh>
#include <apps/prefix/prefix_device.hpp>

namespace libscan::apps {

void prefix_in_executor(prefix_call const& call, scan_strategy which) {
  visit_item_type(call.accumulator,
                  [&]<class T>(std::type_identity<T>) { prefix_on_device<T>(call, which); });
}

}  // namespace libscan::apps
