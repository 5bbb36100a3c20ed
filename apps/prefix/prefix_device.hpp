// SPDX-License-Identifier: Apache-2.0
// The kernels of scan-prefix, in plain C++; prefix_cuda.cu and prefix_executor.cu implement it. A
// build without nvcc or the executor does not call it (libscan/on_engine.hpp).
#pragma once

#include <cstdint>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/device/strategies/names.hpp>

namespace libscan::apps {

/// Runs `call`, which has no segments, by the strategy `which` on CUDA device `device`. Returns
/// when the output is complete; leaves the thread's current device as it was. Throws
/// `device_error`, and `invalid_argument` for more items than the strategy takes.
void prefix_on_cuda(int device, prefix_call const& call, scan_strategy which);

/// Runs `call` in segments on CUDA device `device`. `heads`, in host memory, has a bit for each
/// position of the scan (see `packed_heads`). All else as `prefix_on_cuda`.
void segmented_prefix_on_cuda(int device, prefix_call const& call, std::uint32_t const* heads);

/// Runs `call`, which has no segments, by the strategy `which` in the executor.
void prefix_in_executor(prefix_call const& call, scan_strategy which);

}  // namespace libscan::apps
