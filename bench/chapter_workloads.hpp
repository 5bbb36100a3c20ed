// SPDX-License-Identifier: Apache-2.0
// What the files of the chapter's workloads share.
#pragma once

#include <array>
#include <string_view>

#include <bench/measure.hpp>

namespace libscan::bench::chapter {

/// What of the chapter is measured with one block and with thousands.
inline constexpr std::array<std::string_view, 7> figure_axis{
    "block-counts", "block-scans", "partial-sums", "occupancy",
    "lane-masks",   "warp-scans",  "block-sorts"};

/// Device-wide scan, compaction and radix sort with the primitives of the figures, beside libscan's
/// own calls; sorts only up to 2^24 items. Needs a usable GPU.
void run_device_wide(options const& wanted, stopwatch const& time, report const& tell);

}  // namespace libscan::bench::chapter
