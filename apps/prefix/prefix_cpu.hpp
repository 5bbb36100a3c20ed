// SPDX-License-Identifier: Apache-2.0
// scan-prefix on the CPU engine.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>

namespace libscan::apps {

/// Runs `call` with accumulators of T (its `accumulator`) on up to `threads` threads. Compiled for
/// the ten types of `dtype`, a few in each of prefix_cpu_*.cpp.
template <class T>
void prefix_on_cpu(int threads, prefix_call const& call);

}  // namespace libscan::apps
