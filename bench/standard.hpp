// SPDX-License-Identifier: Apache-2.0
// The standard set: recorded by script/bench, shown in the tables of README.md and docs.
#pragma once

#include <vector>

#include <bench/options.hpp>

namespace libscan::bench {

/// The operations of `wanted`: itself, or those of "standard" with its common options.
std::vector<options> parts_of(options const& wanted);

}  // namespace libscan::bench
