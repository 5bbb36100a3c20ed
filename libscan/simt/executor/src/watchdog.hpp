// SPDX-License-Identifier: Apache-2.0
// A clock for endless loops: it ticks while an OS thread that launches kernels uses CPU time.
#pragma once

namespace libscan::inline v1_executor::simt::executor {

inline constexpr unsigned ticks_per_second = 4;

/// From now on the current launch of this OS thread receives `grid_run::tick`, in a signal handler,
/// after every quarter second of CPU time. Does nothing if the system or the build's sanitizer does
/// not support it.
void start_ticks();

}  // namespace libscan::inline v1_executor::simt::executor
