// SPDX-License-Identifier: Apache-2.0
// A build without Boost.Context has no executor.
#include <apps/check/check_engine.hpp>
#include <libscan/core/error.hpp>

namespace libscan::apps {

std::unique_ptr<check_engine> make_executor_engine() {
  throw engine_unavailable(
      "--engine executor: this build lacks the executor (Boost.Context was not found)");
}

}  // namespace libscan::apps
