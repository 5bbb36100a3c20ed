// SPDX-License-Identifier: Apache-2.0
// The numbers of threads to test with, and leave to really run that many on a small machine.
#pragma once

#include <chrono>
#include <thread>

#include <libscan/cpu/workers.hpp>

namespace libscan::test {

/// Thread counts for every test: one, fewer and more than this machine's cores.
inline constexpr int thread_counts[] = {1, 2, 3, 16};

/// Calls body() where up to `threads` threads work, for any number of cores.
template <class Body>
void with_threads(int threads, Body&& body) {
  cpu::with_workers(threads, body);
}

/// Waits until `ready` is true; false if that takes too long.
template <class Ready>
bool comes(Ready ready) {
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(7);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Whether one of three calls of `others_come` is true: the thread pool may lend a call no second
/// thread.
template <class Test>
bool others_come_once(Test others_come) {
  return others_come() || others_come() || others_come();
}

}  // namespace libscan::test
