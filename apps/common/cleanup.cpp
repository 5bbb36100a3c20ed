// SPDX-License-Identifier: Apache-2.0
// Fixed tables that signal handlers may read at any moment: an entry is only used while its state
// is `ready`.
#include <apps/common/cleanup.hpp>

#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>

#include <apps/common/exit_code.hpp>
#include <libscan/core/error.hpp>

namespace libscan::apps {
namespace {

enum state : int { unused, filling, ready };
static_assert(std::atomic<int>::is_always_lock_free);

constexpr int slots = 16;

struct file_slot {
  std::atomic<int> state = unused;
  char path[PATH_MAX];
};

struct mapping_slot {
  std::atomic<int> state = unused;
  char const* base;
  std::size_t size;
  char name[512];
};

file_slot files[slots];
mapping_slot mappings[slots];
char program[64] = "libscan";

void copy_text(char* to, std::size_t capacity, std::string_view text) {
  text = libscan::detail::beginning(text, capacity - 1);
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
}

/// Index of an entry claimed for filling, or -1.
template <class Slot>
int claim(Slot* table) {
  for (int i = 0; i < slots; ++i) {
    int expected = unused;
    if (table[i].state.compare_exchange_strong(expected, filling)) return i;
  }
  return -1;
}

void remove_doomed_files() {
  for (file_slot const& slot : files) {
    if (slot.state.load() == ready) ::unlink(slot.path);
  }
}

void die_by_default(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  ::raise(signal);  // acts when the handler returns and the signal is no longer blocked
}

extern "C" void on_end(int signal) {
  remove_doomed_files();
  die_by_default(signal);
}

void put(char const* text) {
  ssize_t const written = ::write(STDERR_FILENO, text, std::strlen(text));
  (void)written;  // there is no one left to inform
}

extern "C" void on_bus_error(int signal, siginfo_t* info, void*) {
  remove_doomed_files();
  char const* const address = static_cast<char const*>(info->si_addr);
  for (mapping_slot const& slot : mappings) {
    if (slot.state.load() != ready) continue;
    if (address < slot.base || address >= slot.base + slot.size) continue;
    put(program);
    put(": error: ");
    put(slot.name);
    put(": the file shrank, or its device failed, while it was read\n");
    ::_exit(static_cast<int>(exit_code::bad_file));
  }
  die_by_default(signal);
}

void handle_ends_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr int harmless[] = {SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
      if (std::ranges::find(harmless, signal) != std::end(harmless)) continue;
      struct sigaction action = {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_DFL) continue;  // ignored (nohup), or the caller's own
      action.sa_handler = on_end;
      sigemptyset(&action.sa_mask);
      ::sigaction(signal, &action, nullptr);
    }
  });
}

void handle_bus_errors_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
  });
}

}  // namespace

doomed_file::doomed_file(std::string path) : path_(std::move(path)), slot_(claim(files)) {
  if (slot_ < 0) throw error("doomed_file: more than 16 unfinished output files at a time");
  handle_ends_once();
  copy_text(files[slot_].path, sizeof files[slot_].path, path_);
  files[slot_].state = ready;
}

doomed_file::~doomed_file() {
  if (slot_ < 0) return;
  ::unlink(path_.c_str());
  files[slot_].state = unused;
}

void doomed_file::spare() {
  if (slot_ >= 0) files[slot_].state = unused;
  slot_ = -1;
}

watched_mapping::watched_mapping(void const* base, std::size_t size, std::string const& name)
    : slot_(claim(mappings)) {
  if (slot_ < 0) return;
  handle_bus_errors_once();
  mappings[slot_].base = static_cast<char const*>(base);
  mappings[slot_].size = size;
  copy_text(mappings[slot_].name, sizeof mappings[slot_].name, name);
  mappings[slot_].state = ready;
}

watched_mapping::~watched_mapping() {
  if (slot_ >= 0) mappings[slot_].state = unused;
}

void remove_unfinished_files() { remove_doomed_files(); }

void name_for_signals(std::string_view name) { copy_text(program, sizeof program, name); }

}  // namespace libscan::apps
