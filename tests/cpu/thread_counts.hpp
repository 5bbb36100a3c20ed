// SPDX-License-Identifier: Apache-2.0
// The numbers of threads to test with, and leave to really run that many on a small machine.
#pragma once

#include <libscan/cpu/workers.hpp>

namespace libscan::test {

/// Thread counts for every test: one, fewer and more than this machine's cores.
inline constexpr int thread_counts[] = {1, 2, 3, 16};

/// Calls body() where up to `threads` threads work, for any number of cores.
template <class Body>
void with_threads(int threads, Body&& body) {
  cpu::with_workers(threads, body);
}

}  // namespace libscan::test
