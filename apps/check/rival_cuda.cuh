// SPDX-License-Identifier: Apache-2.0
// CUB's and Thrust's answers to cases that they have a direct counterpart of: a second oracle, on
// the GPU.
#pragma once

#include <apps/check/device_case.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Whether one of them does what a case does, with the same meaning.
bool has_rival(check_case const& c);

/// Runs a case by it, on the stream of its workspace. Their scans tell no total.
void run_rival(device_case const& one);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
