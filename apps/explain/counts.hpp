// SPDX-License-Identifier: Apache-2.0
// The costs of a recorded run.
#pragma once

#include <string>
#include <vector>

#include <apps/explain/stages.hpp>

namespace libscan::apps {

/// A table of the counts, by launch and in total, no wider than `width` if possible.
std::string counts_table(recorded_run const& run, std::vector<launch_view> const& views, int width);

}  // namespace libscan::apps
