// SPDX-License-Identifier: Apache-2.0
// What a recorded run cost.
#pragma once

#include <string>
#include <vector>

#include <apps/explain/stages.hpp>

namespace libscan::apps {

/// A table: what was counted, by launch and in all, no wider than `width` where that is possible.
std::string counts_table(recorded_run const& run, std::vector<launch_view> const& views, int width);

}  // namespace libscan::apps
