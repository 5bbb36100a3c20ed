// SPDX-License-Identifier: Apache-2.0
// Calls before main, after main, in processes made by fork, and from a thousand threads.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

/// Whether calls on `on` are right, of `n` items.
bool calls_are_right(engine const& on, std::size_t n) {
  std::vector<std::uint32_t> items(n), out(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::partial_sum(items.begin(), items.end(), expected.begin());
  bool right = libscan::inclusive_scan(on, items, out) == expected.back() && out == expected;
  expected = items;
  std::stable_sort(expected.begin(), expected.end());
  libscan::sort_keys(on, items, out);
  right = right && out == expected;
  auto const kept = libscan::filter(on, items, out, parse_predicate<std::uint32_t>("< 1000000000"));
  right = right && kept == std::count_if(items.begin(), items.end(),
                                         [](std::uint32_t x) { return x < 1'000'000'000; });
  std::vector<std::uint64_t> counts(256);
  std::vector<std::uint8_t> const bytes(n, 7);
  libscan::histogram(on, bytes, counts, libscan::integer_bins<std::uint8_t>{0, 256});
  return right && counts[7] == n;
}

/// Whether the message of a C call that fails is there.
bool message_is_right() {
  bool const failed = libscan_scan(nullptr, {}, nullptr, nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                                   nullptr, nullptr) != LIBSCAN_OK;
  return failed && std::string_view(libscan_last_error()).size() > 30;
}

/// Whether calls of every engine are right.
bool all_are_right(std::size_t n) {
  bool right = message_is_right();
  for (engine const& on : engines()) {
    right = right && calls_are_right(on, on.runs_kernels() ? 300 : n);
  }
  return right;
}

constexpr std::size_t many = 1 << 17;  // several chunks of every call

/// Calls from a static object: its constructor runs before main, its destructor after main and
/// after the destructors of the main thread.
struct static_caller {
  bool right = all_are_right(many);

  ~static_caller() {
    if (all_are_right(many)) return;
    std::fputs("calls after main were wrong\n", stderr);
    std::_Exit(1);
  }
};
static_caller const caller;

/// Runs `body` in a child process that may take a minute; how that ended, as `waitpid` says.
template <class Body>
int in_child(Body body) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::alarm(60);
    body();
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_CASE("calls before main are right") { CHECK(caller.right); }

TEST_CASE("a call takes any number of threads, and a thousand threads may call at once") {
  for (int const threads : {1000, 100'000, std::numeric_limits<int>::max()}) {
    for (std::size_t const n : {std::size_t{3}, many}) {
      CAPTURE(threads, n);
      CHECK(calls_are_right(engine::cpu(threads), n));
    }
  }
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 1000; ++i) {
      callers.emplace_back([&right, i] {
        std::size_t const n = i % 100 == 0 ? many : 100;
        right += calls_are_right(engine::cpu(3), n) && message_is_right() ? 1 : 0;
      });
    }
  }
  CHECK(right == 1000);
}

TEST_CASE("calls are right in a child of a process that has made calls, and in the parent") {
  REQUIRE(all_are_right(many));
  for (int round = 0; round < 2; ++round) {
    CHECK(in_child([] { ::_exit(all_are_right(many) ? 0 : 1); }) == 0);
    CHECK(all_are_right(many));
  }
}

TEST_CASE("a child that has made calls ends as usual, and so does its own child") {
  REQUIRE(all_are_right(many));
  CHECK(in_child([] {
          bool const right =
              all_are_right(many) && in_child([] { std::exit(all_are_right(many) ? 0 : 1); }) == 0;
          std::exit(right ? 0 : 1);
        }) == 0);
}

TEST_CASE("a child that makes the first calls is right") {
  CHECK(in_child([] { std::exit(calls_are_right(engine::cpu(4), many) ? 0 : 1); }) == 0);
}

}  // namespace
}  // namespace libscan::test
