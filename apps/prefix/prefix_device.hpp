// SPDX-License-Identifier: Apache-2.0
// The strategies of scan-prefix, in plain C++: prefix_machine.cu implements them for GPUs
// and for the executor.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps {

/// Runs `call`, which has no segments, by the strategy `which` on a machine with kernels, with
/// blocks of `block` threads; 0: its default. Returns when the output is complete; leaves the
/// thread's current device as it was. Throws `device_error`, and `invalid_argument` for more items
/// than the strategy supports.
void prefix_on(libscan::detail::cuda_device on, prefix_call const& call, scan_strategy which,
               int block);
void prefix_on(libscan::detail::executor_run on, prefix_call const& call, scan_strategy which,
               int block);

}  // namespace libscan::apps
