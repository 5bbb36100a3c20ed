// SPDX-License-Identifier: Apache-2.0
// How many threads come: as many as are requested and permitted, and no more.
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <libscan/cpu/workers.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>

#ifdef LIBSCAN_TEST_WITH_TBB
#include <tbb/task_arena.h>
#endif

namespace libscan::test {
namespace {

/// How many different threads come when `workers` are requested. Waits for `expected` of them, for
/// a while, and a moment longer for one too many.
int threads_that_come(int workers, int expected) {
  using namespace std::chrono_literals;
  std::mutex alone;
  std::set<std::thread::id> seen;
  std::atomic<int> here{0};
  cpu::run_workers(workers, [&] {
    {
      std::lock_guard<std::mutex> const lock(alone);
      if (seen.insert(std::this_thread::get_id()).second) ++here;
    }
    for (int k = 0; k < 2000 && here < expected; ++k) std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(20ms);
  });
  return here;
}

TEST_CASE("as many workers come as are requested, on any number of cores") {
  for (int const threads : thread_counts) {
    with_threads(threads, [&] { CHECK(threads_that_come(threads, threads) == threads); });
  }
}

#ifdef LIBSCAN_TEST_WITH_TBB
TEST_CASE("no more workers come than a limit lets") {
  for (int const threads : {1, 2, 3}) {
    with_threads(threads, [&] { CHECK(threads_that_come(16, threads) == threads); });
    with_threads(16, [&] {
      tbb::task_arena(threads).execute([&] { CHECK(threads_that_come(16, threads) == threads); });
    });
  }
}
#endif

TEST_CASE("what is returned, and thrown, where workers are let comes out of there") {
  CHECK(cpu::with_workers(3, [] { return 7; }) == 7);
  CHECK(cpu::with_workers(0, [] { return 7; }) == 7);
  CHECK_THROWS_AS(cpu::with_workers(3, [] { throw std::out_of_range("body"); }), std::out_of_range);
  CHECK_THROWS_AS(cpu::with_workers(0, [] { throw std::out_of_range("body"); }), std::out_of_range);
}

}  // namespace
}  // namespace libscan::test
