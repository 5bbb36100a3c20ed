// SPDX-License-Identifier: Apache-2.0
// CUB's answers to cases that it has a direct counterpart of: a second oracle, on the GPU.
#pragma once

#include <apps/check/device_case.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Whether CUB does what a case does, with the same meaning.
bool has_rival(check_case const& c);

/// Runs a case by CUB, on the stream of its workspace. CUB's scans tell no total.
void run_cub(device_case const& one);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
