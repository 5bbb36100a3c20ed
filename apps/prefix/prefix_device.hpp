// SPDX-License-Identifier: Apache-2.0
// The strategies of scan-prefix, in plain C++: prefix_machine.cu implements them for GPUs
// and for the executor.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

/// Runs `call`, which has no segments, by a strategy on a machine with kernels. Returns when the
/// output is complete; leaves the thread's current device as it was. Throws `device_error`, and
/// `invalid_argument` for more items than the strategy supports.
void prefix_on(libscan::detail::cuda_device on, prefix_call const& call,
               strategy_choice const& choice);
void prefix_on(libscan::detail::executor_run on, prefix_call const& call,
               strategy_choice const& choice);

}  // namespace libscan::apps
