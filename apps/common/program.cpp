// SPDX-License-Identifier: Apache-2.0
// From exceptions to exit codes.
#include <apps/common/program.hpp>

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include <apps/common/cleanup.hpp>

namespace libscan::apps {
namespace {

std::string name_of_program = "libscan";

void ignore(int signal, struct sigaction* before) {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  ::sigaction(signal, &action, before);
}

int fail(exit_code code, std::string_view words) {
  say("error: " + std::string(words));
  return static_cast<int>(code);
}

/// Ends as a program does that never looked at SIGPIPE, where that was the default.
int end_quietly(struct sigaction const& before) {
  if (before.sa_handler == SIG_DFL) {
    ::sigaction(SIGPIPE, &before, nullptr);
    ::raise(SIGPIPE);
  }
  return static_cast<int>(exit_code::bad_file);
}

}  // namespace

std::string program_name() { return name_of_program; }

void say(std::string_view words) {
  std::string line = name_of_program + ": " + std::string(words);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';  // a file's name may hold any
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int run_program(std::string_view name, std::function<exit_code()> const& body) {
  name_of_program = name;
  name_for_signals(name);
  struct sigaction pipe_before = {};
  ignore(SIGPIPE, &pipe_before);
  ignore(SIGXFSZ, nullptr);
  try {
    return static_cast<int>(body());
  } catch (usage_error const& e) {
    return fail(exit_code::usage, e.what() + (" (see " + name_of_program + " --help)"));
  } catch (invalid_argument const& e) {
    return fail(exit_code::usage, e.what());
  } catch (file_error const& e) {
    return fail(exit_code::bad_file, e.what());
  } catch (output_closed const&) {
    return end_quietly(pipe_before);
  } catch (std::bad_alloc const&) {
    return fail(exit_code::failure, "out of memory");
  } catch (std::exception const& e) {
    return fail(exit_code::failure, e.what());
  }
}

}  // namespace libscan::apps
