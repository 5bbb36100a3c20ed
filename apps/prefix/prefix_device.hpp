// SPDX-License-Identifier: Apache-2.0
// The functions of scan-prefix that launch kernels, in plain C++: prefix_cuda_*.cu and
// prefix_executor_*.cu implement them, prefix_cuda_absent.cpp and prefix_executor_absent.cpp (all
// functions throw engine_unavailable) where there is no nvcc or no executor.
#pragma once

#include <cstdint>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps {

/// Runs `call`, which has no segments, by the strategy `which` on CUDA device `device`. Returns
/// when the output is complete; leaves the thread's current device as it was. Throws
/// `device_error`, and `invalid_argument` for more items than the strategy supports.
void prefix_on_cuda(int device, prefix_call const& call, scan_strategy which);

/// Runs `call` in segments on CUDA device `device`. `heads`, in host memory, has a bit for each
/// position of the scan (see `packed_heads`). All else as `prefix_on_cuda`.
void segmented_prefix_on_cuda(int device, prefix_call const& call, std::uint32_t const* heads);

/// Runs `call`, which has no segments, by the strategy `which` in the executor.
void prefix_in_executor(prefix_call const& call, scan_strategy which);

}  // namespace libscan::apps
