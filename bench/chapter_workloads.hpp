// SPDX-License-Identifier: Apache-2.0
// The part of the chapter's workloads that has a file of its own.
#pragma once

#include <bench/measure.hpp>

namespace libscan::bench::chapter {

/// Device-wide scan, compaction and radix sort with the primitives of the figures, beside libscan's
/// own calls; sorts only up to 2^24 items. Needs a usable GPU.
void run_device_wide(options const& wanted, stopwatch const& time, report const& tell);

}  // namespace libscan::bench::chapter
