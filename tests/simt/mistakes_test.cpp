// SPDX-License-Identifier: Apache-2.0
// Every mistake that the executor and its checkers claim to find is planted and found; every
// correct twin stays silent. Each build asserts its own column. A sanitizer may end the process, so
// under one each kernel runs in a child: this same program, controlled by an environment variable.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <libscan/core/error.hpp>
#include <tests/simt/mistakes/mistake.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {

namespace {

enum class column { release, race, asan, tsan };

#if defined(LIBSCAN_TEST_RACECHECK)
constexpr column this_build = column::race;
#elif defined(__SANITIZE_ADDRESS__)
constexpr column this_build = column::asan;
#elif defined(__SANITIZE_THREAD__)
constexpr column this_build = column::tsan;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr column this_build = column::tsan;
#elif __has_feature(address_sanitizer)
constexpr column this_build = column::asan;
#else
constexpr column this_build = column::release;
#endif
#else
constexpr column this_build = column::release;
#endif

constexpr char const* ran_to_the_end = "all schedules have run";
constexpr char const* child_variable = "LIBSCAN_TEST_MISTAKE";

bool reduced() { return std::getenv("LIBSCAN_TEST_REDUCED") != nullptr; }

std::vector<mistake> all_mistakes() {
  std::vector<mistake> all;
  for (auto const& some :
       {barrier_mistakes(), cluster_mistakes(), warp_mistakes(), memory_mistakes(),
        lookback_mistakes(), bulk_copy_mistakes(), source_mistakes()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// What one launch came to: silent, or what was wrong.
struct outcome {
  bool found = false;
  std::string error;  ///< what launch threw, if anything
};

outcome try_once(bool (*run)(), simt::executor::settings const& how) {
  simt::executor::scoped_settings const scope(how);
  try {
    return {!run(), ""};
  } catch (error const& thrown) {
    return {true, thrown.what()};
  }
}

/// Replaces "@0" and "@1" by the lines the kernel noted: "file.cpp:12".
std::string with_lines(std::string text, std::string const& error) {
  std::size_t const suffix = error.find("_mistakes.cpp:");
  std::size_t const start = error.find_last_of(" /", suffix) + 1;
  std::string const file =
      suffix == std::string::npos ? "?" : error.substr(start, suffix - start) + "_mistakes.cpp:";
  for (std::size_t n = 0; n < noted_line.size(); ++n) {
    std::string const mark{'@', static_cast<char>('0' + n)};
    std::size_t const at = text.find(mark);
    if (at != std::string::npos) {
      text.replace(at, mark.size(), file + std::to_string(noted_line[n].load()));
    }
  }
  return text;
}

void check_message(mistake const& planted, std::string const& error) {
  for (std::string const& part : planted.says) {
    INFO(error);
    CHECK_THAT(error, Catch::Contains(with_lines(part, error)));
  }
}

/// How many of `seeds` seeded runs find a mistake.
int seeds_that_find(bool (*run)(), int seeds) {
  int found = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    found += try_once(run, simt::executor::seeded(static_cast<std::uint64_t>(seed))).found ? 1 : 0;
  }
  return found;
}

/// What a run of this program as a child printed (both streams), and whether it ended well.
struct child_result {
  bool ended_well = false;
  std::string output;
};

child_result run_as_child(std::string const& task) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    setenv(child_variable, task.c_str(), 1);
    execl("/proc/self/exe", "mistakes_test", "one kernel for the parent", nullptr);
    _exit(126);
  }
  close(ends[1]);
  child_result result;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    result.output.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return result;
}

/// What the sanitizer of this build says when it has found something.
std::string const sanitizer_says =
    this_build == column::tsan ? "WARNING: ThreadSanitizer: data race" : "ERROR: AddressSanitizer";

bool sanitizer_spoke(std::string const& output) {
  return output.find(sanitizer_says) != std::string::npos ||
         output.find("runtime error:") != std::string::npos ||
         output.find("Sanitizer") != std::string::npos;
}

void show(mistake const& planted, std::string const& measured) {
  if (std::getenv("LIBSCAN_TEST_TABLE") != nullptr) {
    std::printf("| %-45s | %s\n", planted.name.c_str(), measured.c_str());
    std::fflush(stdout);
  }
}

void check_in_process(mistake const& planted) {
  int const seeds = reduced() ? 5 : 20;
  findings const& wanted = planted.found_by;
  simt::executor::settings const fixed_order;
  CHECK_FALSE(try_once(planted.correct, fixed_order).found);
  CHECK(try_once(planted.correct, fixed_order).error.empty());
  CHECK(seeds_that_find(planted.correct, seeds) == 0);
  if (planted.only_checked && !(this_build == column::race && wanted.race > 0)) return;

  outcome const fixed = try_once(planted.planted, fixed_order);
  int const found = seeds_that_find(planted.planted, seeds);
  show(planted, std::string(fixed.found ? "yes" : "   ") + " | " + std::to_string(found) + "/" +
                    std::to_string(seeds) + " | " + fixed.error);
  if (wanted.fixed) CHECK(fixed.found);
  if (this_build == column::release && !fixed.error.empty()) check_message(planted, fixed.error);
  int const least = this_build == column::race ? wanted.race : wanted.seeded;
  CHECK(found >= least * seeds / 20);
}

void check_in_children(mistake const& planted) {
  findings const& wanted = planted.found_by;
  bool const due = this_build == column::tsan ? wanted.tsan : wanted.asan;
  child_result const correct = run_as_child("correct " + planted.name);
  INFO(correct.output);
  CHECK(correct.ended_well);
  CHECK_FALSE(sanitizer_spoke(correct.output));
  CHECK_THAT(correct.output, Catch::Contains(ran_to_the_end));
  if (planted.only_checked && this_build != column::asan) return;

  child_result const wrong = run_as_child("planted " + planted.name);
  INFO(wrong.output);
  bool const found = sanitizer_spoke(wrong.output);
  show(planted, found ? "found" : "-");
  if (due && planted.only_checked) {
    CHECK_FALSE(try_once(planted.correct, {}).found);  // here, so that it notes its lines
    for (std::string const& part : planted.says) {
      CHECK_THAT(wrong.output, Catch::Contains(with_lines(part, wrong.output)));
    }
  } else if (due) {
    CHECK(found);
    CHECK_THAT(wrong.output, Catch::Contains("_mistakes.cpp:"));
  }
}

}  // namespace

TEST_CASE("every planted mistake is found and every correct twin is silent") {
  for (mistake const& planted : all_mistakes()) {
    INFO(planted.name);
    if (this_build == column::asan || this_build == column::tsan) {
      check_in_children(planted);
    } else {
      check_in_process(planted);
    }
  }
}

TEST_CASE("one kernel for the parent", "[.]") {
  char const* const reported = std::getenv(child_variable);
  REQUIRE(reported != nullptr);
  std::string const task = reported;
  bool const correct = task.substr(0, 8) == "correct ";
  for (mistake const& candidate : all_mistakes()) {
    if (candidate.name != task.substr(8)) continue;
    bool (*const run)() = correct ? candidate.correct : candidate.planted;
    std::vector<simt::executor::settings> schedules(1);
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      schedules.push_back(simt::executor::seeded(seed));
    for (auto const& how : schedules) {
      outcome const result = try_once(run, how);
      if (correct) CHECK_FALSE(result.found);
      if (!result.error.empty()) std::fprintf(stderr, "%s\n", result.error.c_str());
    }
    std::fprintf(stderr, "%s\n", ran_to_the_end);
  }
}

}  // namespace libscan::test
