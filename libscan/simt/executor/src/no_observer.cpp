// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

observer* default_observer() { return nullptr; }

}  // namespace libscan::inline v1_executor::simt::executor
