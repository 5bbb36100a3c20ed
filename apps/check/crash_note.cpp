// SPDX-License-Identifier: Apache-2.0
// The note is in static memory before anything can crash; handlers only make async-signal-safe
// calls.
#include <apps/check/crash_note.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>

/// Defined by sanitizers; null without them.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace libscan::apps {
namespace {

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
struct sigaction before[std::size(crashes)];

enum state : int { silent, telling, reported };
static_assert(std::atomic<int>::is_always_lock_free);

std::atomic<int> said = silent;
std::atomic<std::size_t> length = 0;
char note[2047];

/// Once, even if several threads crash; later ones wait, since the first ends the program.
void tell() {
  int expected = silent;
  if (said.compare_exchange_strong(expected, telling)) {
    ssize_t const written = ::write(STDERR_FILENO, note, length.load());
    (void)written;  // there is no one left to inform
    said = reported;
  }
  while (said.load() == telling) {
  }
}

extern "C" void on_crash(int signal, siginfo_t* info, void*) {
  tell();
  for (std::size_t i = 0; i < std::size(crashes); ++i) {
    if (crashes[i] == signal) ::sigaction(signal, &before[i], nullptr);
  }
  // A fault happens again when the handler returns, and an earlier handler (a sanitizer's) sees its
  // place; a signal that was sent must be sent again.
  bool const faults_again = info->si_code > 0 && signal != SIGTRAP;
  if (!faults_again) ::raise(signal);
}

/// A handler cannot run on an overflown stack. The executor's kernels run on this thread.
void give_handlers_a_stack() {
  static char memory[1 << 16];
  stack_t stack = {};
  ::sigaltstack(nullptr, &stack);
  if ((stack.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer's
  stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  ::sigaltstack(&stack, nullptr);
}

void handle_crashes_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    give_handlers_a_stack();
    for (std::size_t i = 0; i < std::size(crashes); ++i) {
      struct sigaction action = {};
      action.sa_sigaction = on_crash;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      ::sigaction(crashes[i], &action, &before[i]);
    }
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(tell);
  });
}

}  // namespace

crash_note::crash_note(std::string_view text) {
  handle_crashes_once();
  std::size_t const bytes = std::min(text.size(), sizeof note);
  std::memcpy(note, text.data(), bytes);
  length = bytes;
}

crash_note::~crash_note() { length = 0; }

}  // namespace libscan::apps
