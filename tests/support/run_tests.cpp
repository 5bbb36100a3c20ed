// SPDX-License-Identifier: Apache-2.0
// Runs the Catch2 tests of a program, for its main function. Exit code 0 or 1; after a failure the
// seed of the random inputs is printed to stderr. A test case that takes too long ends the program:
// the environment variable LIBSCAN_TEST_CASE_SECONDS sets the limit; 0: no limit. Both wall-clock
// and CPU time count, so a busy machine fails no test; a test case that only waits gets four times
// as long.
#define CATCH_CONFIG_RUNNER
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/run_tests.hpp>

namespace libscan::test {
namespace {

#if __has_include(<catch2/catch.hpp>)
using listener = Catch::TestEventListenerBase;
#else
using listener = Catch::EventListenerBase;
#endif

/// Ends the program if a test case runs too long.
class test_case_watch {
 public:
  explicit test_case_watch(int seconds) : seconds_(seconds) {
    char const* const wanted = std::getenv("LIBSCAN_TEST_CASE_SECONDS");
    if (wanted != nullptr) seconds_ = std::atoi(wanted);
    if (seconds_ > 0) thread_ = std::thread([this] { watch(); });
  }
  ~test_case_watch() {
    {
      std::lock_guard const lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  test_case_watch(test_case_watch const&) = delete;
  test_case_watch& operator=(test_case_watch const&) = delete;

  void begin(std::string const& name) {
    std::lock_guard const lock(mutex_);
    name_ = name;
    section_.clear();
    running_ = true;
    begun_ = std::chrono::steady_clock::now();
    begun_cpu_ = std::clock();
    changed_.notify_all();
  }
  void section(std::string const& name) {
    std::lock_guard const lock(mutex_);
    if (name != name_) section_ = name;
  }
  void end() {
    std::lock_guard const lock(mutex_);
    running_ = false;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      if (!running_) {
        changed_.wait(lock);
        continue;
      }
      double const elapsed =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
      double const cpu = static_cast<double>(std::clock() - begun_cpu_) / CLOCKS_PER_SEC;
      double const max_waiting = std::max<double>(seconds_, std::min(4. * seconds_, 500.));
      if (elapsed >= seconds_ && (cpu >= seconds_ || elapsed >= max_waiting)) give_up(elapsed);
      double const left = seconds_ - std::min(elapsed, cpu);
      changed_.wait_for(lock, std::chrono::duration<double>(std::clamp(left, 0.1, 1.)));
    }
  }

  [[noreturn]] void give_up(double elapsed) const {
    std::fflush(stdout);
    std::fprintf(stderr,
                 "\ntest case \"%s\"%s%s%s still runs after %.0f s; this program ends here\n",
                 name_.c_str(), section_.empty() ? "" : ", section \"", section_.c_str(),
                 section_.empty() ? "" : "\"", elapsed);
    std::fprintf(stderr, "to repeat with the same inputs: LIBSCAN_TEST_SEED=%llu\n",
                 static_cast<unsigned long long>(seed()));
    std::_Exit(1);
  }

  int seconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  bool ends_ = false;
  std::string name_, section_;
  std::chrono::steady_clock::time_point begun_;
  std::clock_t begun_cpu_ = 0;
  std::thread thread_;
};

test_case_watch* watch = nullptr;

class watching_listener : public listener {
 public:
  using listener::listener;

  void testCaseStarting(Catch::TestCaseInfo const& info) override {
    listener::testCaseStarting(info);
    if (watch != nullptr) watch->begin(info.name);
  }
  void sectionStarting(Catch::SectionInfo const& info) override {
    listener::sectionStarting(info);
    if (watch != nullptr) watch->section(info.name);
  }
  void testCaseEnded(Catch::TestCaseStats const& stats) override {
    listener::testCaseEnded(stats);
    if (watch != nullptr) watch->end();
  }
};

}  // namespace
}  // namespace libscan::test

using libscan::test::watching_listener;
CATCH_REGISTER_LISTENER(watching_listener)

int run_tests(int argc, char** argv, int case_seconds) {
  libscan::test::test_case_watch watch(case_seconds);
  libscan::test::watch = &watch;
  // Catch returns the number of failures, which could be mistaken for 77, "skipped".
  Catch::Session session;
  // script/mutants only needs to know that something fails.
  if (std::getenv("LIBSCAN_TEST_FIRST_FAILURE") != nullptr) session.configData().abortAfter = 1;
  int const failures = session.run(argc, argv);
  libscan::test::watch = nullptr;
  if (failures == 0) return 0;
  std::fprintf(stderr, "to repeat with the same inputs: LIBSCAN_TEST_SEED=%llu\n",
               static_cast<unsigned long long>(libscan::test::seed()));
  return 1;
}
