// SPDX-License-Identifier: Apache-2.0
// From exceptions to exit codes.
#include <apps/common/program.hpp>

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include <apps/common/cleanup.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/utf8.hpp>

namespace hwy::platform {

// Highway 1.0 as a shared library calls this when it is loaded, for benchmarks of its own, and
// spends more time in it than a program needs to start. The dynamic linker prefers this definition,
// and no program calls it.
[[gnu::weak, gnu::visibility("default")]] std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform

namespace libscan::apps {
namespace {

std::string name_of_program = "libscan";
char const* refused_threads = "the system refuses more threads";
struct sigaction pipe_before = {};  // what SIGPIPE did when the program began

void ignore(int signal, struct sigaction* before) {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  ::sigaction(signal, &action, before);
}

/// Gives each closed standard stream a descriptor that allows neither reading nor writing, also by
/// names such as /dev/stdin. Otherwise a file opened later would get its number, and would be read
/// or overwritten in its place.
void occupy_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    int got = ::open("/dev/null", O_PATH);
    if (got < 0) got = ::open("/", O_PATH);
    if (got != stream) ::_exit(static_cast<int>(exit_code::failure));
  }
}

/// Whether the system refused a thread: as std::thread says it, or as oneTBB does.
bool refuses_thread(std::exception const& e) {
  auto const* const coded = dynamic_cast<std::system_error const*>(&e);
  return std::string_view(e.what()).find("pthread_create") != std::string_view::npos ||
         (coded && coded->code() == std::errc::resource_unavailable_try_again);
}

/// The words of an exception.
std::string words_of(std::exception const& e) {
  if (!refuses_thread(e)) return e.what();
  return refused_threads + std::string(": ") + e.what();
}

int fail(exit_code code, std::string_view words) {
  say("error: " + std::string(words));
  return static_cast<int>(code);
}

/// Ends like a program that ignores SIGPIPE's existence: by the signal, or with a message if
/// SIGPIPE was ignored.
int end_without_reader(output_closed const& e) {
  if (pipe_before.sa_handler != SIG_DFL) return fail(exit_code::bad_file, e.what());
  ::sigaction(SIGPIPE, &pipe_before, nullptr);
  ::raise(SIGPIPE);
  return static_cast<int>(exit_code::bad_file);
}

/// Writes an error as `say` does, but takes no memory.
void say_error_in_pieces(char const* words) {
  for (std::string_view const piece :
       {std::string_view(program_invocation_short_name), std::string_view(": error: "),
        std::string_view(words), std::string_view("\n")}) {
    if (::write(STDERR_FILENO, piece.data(), piece.size()) < 0) return;
  }
}

/// An exception that cannot be caught ends the program like the others: oneTBB throws such an
/// exception, on purpose, if the system refuses a thread. Without an exception there was no memory
/// for one.
[[noreturn]] void end_at_once() {
  static std::atomic_flag ending = ATOMIC_FLAG_INIT;
  while (ending.test_and_set()) ::pause();  // another thread is ending the program
  remove_unfinished_files();
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
    say_error_in_pieces("out of memory");
  } catch (std::bad_alloc const&) {
    say_error_in_pieces("out of memory");
  } catch (std::exception const& e) {
    say_error_in_pieces(refuses_thread(e) ? refused_threads : e.what());
  } catch (...) {
    say_error_in_pieces("an exception of an unknown type");
  }
  ::_exit(static_cast<int>(exit_code::failure));
}

/// Static objects of libraries take memory before `main`, which there may not be. This comes first.
[[gnu::constructor(101)]] void end_in_words_from_the_beginning() {
  std::set_terminate(end_at_once);
}

/// The stack that the code of every program fits into, and more.
constexpr rlim_t min_stack = rlim_t{128} << 10;

void require_stack() {
  rlimit stack = {};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= min_stack) return;
  say_error_in_pieces("the stack is limited to less than 128 KiB (see ulimit -s)");
  ::_exit(static_cast<int>(exit_code::failure));
}

/// For each thread that takes memory, malloc reserves 64 MiB or more of addresses. Where these are
/// limited, threads share one reservation.
void spare_addresses() {
  if (addresses_are_limited()) ::mallopt(M_ARENA_MAX, 1);
}

}  // namespace

void point_to_threads_option() {
  refused_threads = "the system refuses more threads (--threads takes fewer)";
}

std::string program_name() { return name_of_program; }

void say(std::string_view words) {
  std::string line = name_of_program + ": ";
  for (std::size_t at = 0; at < words.size();) {  // a file's name may contain any byte
    std::size_t const length = words[at] == '\t' ? 0 : printable_length(words, at);
    line += length == 0 ? "?" : words.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void begin_program(std::string_view name) {
  occupy_standard_streams();
  require_stack();
  spare_addresses();
  name_of_program = name;
  name_for_signals(name);
  ignore(SIGPIPE, &pipe_before);
  ignore(SIGXFSZ, nullptr);
}

program_failure failure_of(std::exception_ptr const& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (usage_error const& e) {
    return {exit_code::usage, e.what() + (" (see " + name_of_program + " --help)")};
  } catch (invalid_argument const& e) {
    return {exit_code::usage, e.what()};
  } catch (file_error const& e) {
    return {exit_code::bad_file, e.what()};
  } catch (output_closed const& e) {
    return {exit_code::bad_file, e.what()};
  } catch (std::bad_alloc const&) {
    return {exit_code::failure, "out of memory"};
  } catch (std::exception const& e) {
    return {exit_code::failure, words_of(e)};
  } catch (...) {
    return {exit_code::failure, "an exception of an unknown type"};
  }
}

int run_program(std::string_view name, std::function<exit_code()> const& body) {
  begin_program(name);
  try {
    exit_code const code = body();
    if (code == exit_code::done) finish_report(name);
    return static_cast<int>(code);
  } catch (output_closed const& e) {
    return end_without_reader(e);
  } catch (std::exception const&) {
    auto const failure = failure_of(std::current_exception());
    return fail(failure.code, failure.words);
  }
}

}  // namespace libscan::apps
