// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <bench/beside.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench {

namespace {

[[noreturn]] void stay_busy(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  // A reader of the program's output must not wait for this process.
  for (int fd = 0; fd < 3; ++fd) ::close(fd);
  for (unsigned volatile k = 0;;) k = k + 1;
}

}  // namespace

busy_processes::busy_processes(int count) {
  pid_t const parent = ::getpid();
  for (int i = 0; i < count; ++i) {
    pid_t const process = ::fork();
    if (process == 0) stay_busy(parent);
    if (process < 0) {
      std::string const reason = std::strerror(errno);
      end();
      throw error("--beside: cannot start process " + std::to_string(i + 1) + " of " +
                  std::to_string(count) + ": " + reason);
    }
    started_.push_back(process);
  }
}

busy_processes::~busy_processes() { end(); }

void busy_processes::end() {
  for (pid_t const process : started_) ::kill(process, SIGKILL);
  for (pid_t const process : started_) ::waitpid(process, nullptr, 0);
}

}  // namespace libscan::bench
