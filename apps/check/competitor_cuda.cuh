// SPDX-License-Identifier: Apache-2.0
// The results of CUB, Thrust and cuSPARSE for cases with a counterpart there: a second oracle, on
// the GPU.
#pragma once

#include <apps/check/device_case.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Whether one of them does the same as a case, with the same meaning.
bool has_competitor(check_case const& c);

/// Runs a case by it, on the stream of its workspace. Their scans return no total.
void run_competitor(device_case const& one);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
