// SPDX-License-Identifier: Apache-2.0
// The standard set: what script/bench records, and the tables of docs/benchmarks show.
#pragma once

#include <vector>

#include <bench/options.hpp>

namespace libscan::bench {

/// The operations that `wanted` stands for: itself, or those of "standard" with its common options.
std::vector<options> parts_of(options const& wanted);

}  // namespace libscan::bench
