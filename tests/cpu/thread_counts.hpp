// SPDX-License-Identifier: Apache-2.0
// The numbers of threads to test with, and leave to really run that many on a small machine.
#pragma once

#ifdef LIBSCAN_TEST_WITH_TBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

namespace libscan::test {

/// Thread counts for every test: alone, fewer and more than this machine's cores.
inline constexpr int thread_counts[] = {1, 2, 3, 16};

/// Calls body() where up to `threads` threads work, however many cores there are.
template <class Body>
void with_threads(int threads, Body&& body) {
#ifdef LIBSCAN_TEST_WITH_TBB
  tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(body);
#else
  static_cast<void>(threads);  // threads are started as asked for
  body();
#endif
}

}  // namespace libscan::test
