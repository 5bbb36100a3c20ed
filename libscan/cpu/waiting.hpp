// SPDX-License-Identifier: Apache-2.0
// How a thread waits for another one, and the clocks that limit the wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

namespace libscan::inline v1::cpu::detail {

/// Tells the core that this thread is waiting, so that a sibling hardware thread can run.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits for another thread for the k-th time in a row: first briefly; then it yields, since on a
/// busy machine the other thread may need this core; finally it sleeps.
inline void back_off(int k) {
  if (k < 64) {
    relax();
  } else if (k < 1000) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// A clock that costs almost nothing: the processor's own ticks, or nanoseconds.
inline std::int64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

/// Ticks, some 10 to 70 us, for which a thread only polls its turn.
inline constexpr std::int64_t short_wait = std::int64_t{1} << 16;

inline std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Nanoseconds of CPU time of the calling thread.
inline std::int64_t thread_ns() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  std::timespec now;
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0) {
    return std::int64_t{1000000000} * now.tv_sec + now.tv_nsec;
  }
#endif
  return wall_ns();
}

}  // namespace libscan::inline v1::cpu::detail
