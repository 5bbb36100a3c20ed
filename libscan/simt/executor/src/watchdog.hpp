// SPDX-License-Identifier: Apache-2.0
// A clock for loops without end: ticks while an OS thread that launches kernels burns CPU time.
#pragma once

namespace libscan::inline v1_executor::simt::executor {

inline constexpr unsigned ticks_per_second = 4;

/// From now on the running launch of this OS thread hears `grid_run::tick`, in a signal handler,
/// after every quarter second of CPU time. Does nothing where the system or the sanitizer of the
/// build lacks what it takes.
void start_ticks();

}  // namespace libscan::inline v1_executor::simt::executor
