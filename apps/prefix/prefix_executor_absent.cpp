// SPDX-License-Identifier: Apache-2.0
// A build without Boost.Context has no executor.
#include <apps/prefix/prefix_device.hpp>

#include <libscan/core/error.hpp>

namespace libscan::apps {

void prefix_in_executor(prefix_call const&, scan_strategy) {
  throw engine_unavailable(
      "--algorithm needs a GPU, or the executor, which this build lacks (Boost.Context was not "
      "found)");
}

}  // namespace libscan::apps
