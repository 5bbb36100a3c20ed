// SPDX-License-Identifier: Apache-2.0
// Endless loops. Each launch counts its steps: switches, atomics, collectives. Too many steps end
// it, and so does too much CPU time, at its next step. A loop that takes no more steps is ended by
// the signal handler itself: no code of the executor runs then.
#include <cstdlib>
#include <libscan/core/kept_by_thread.hpp>
#include <libscan/simt/executor/src/grid_run.hpp>

#if defined(__linux__) && !defined(LIBSCAN_TSAN_EXECUTOR)  // TSan delays signals
#define LIBSCAN_HAS_TICKS 1
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace libscan::inline v1_executor::simt::executor {

namespace {

// CPU time without a step after which a loop counts as taking none.
constexpr unsigned max_ticks_without_step = ticks_per_second;

#ifdef LIBSCAN_HAS_TICKS

/// Few other users of signals choose one in the middle.
int tick_signal() { return SIGRTMIN + 11; }

void on_tick(int, siginfo_t*, void*) {
  int const former = errno;
  if (running_grid != nullptr) running_grid->tick();
  errno = former;
}

/// A timer of the CPU time of one OS thread. A child made by fork has none of its parent's timers.
class tick_timer {
 public:
  tick_timer() = default;
  ~tick_timer() {
    if (process_ == ::getpid()) timer_delete(timer_);
  }
  tick_timer(tick_timer const&) = delete;
  tick_timer& operator=(tick_timer const&) = delete;

  /// Starts the timer unless it runs in this process.
  void start() {
    pid_t const process = ::getpid();
    if (process_ == process) return;
    struct sigaction action {};
    action.sa_sigaction = on_tick;
    // A tick that ends a launch never returns: it must not leave the signal blocked.
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigaction(tick_signal(), &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = tick_signal();
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
#else
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
#endif
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) return;
    process_ = process;
    timespec const period{0, 1'000'000'000 / ticks_per_second};
    itimerspec const times{period, period};
    timer_settime(timer_, 0, &times, nullptr);
  }

 private:
  timer_t timer_{};
  pid_t process_ = -1;  // in which the timer is
};

#endif

}  // namespace

void start_ticks() {
#ifdef LIBSCAN_HAS_TICKS
  libscan::detail::kept_by_thread<tick_timer>().start();
#endif
}

void grid_run::tick() {
  ticks_ = ticks_ + 1;
  if (how_.launch_seconds <= 0 ||
      ticks_ < static_cast<unsigned>(how_.launch_seconds) * ticks_per_second) {
    return;
  }
  step_limit_ = 0;
  if (std::uint64_t const steps = steps_; steps != steps_at_tick_) {
    steps_at_tick_ = steps;
    ticks_without_step_ = 0;
  } else if (++ticks_without_step_ >= max_ticks_without_step && current_ != nullptr) {
    takes_no_steps_ = true;
    leave_overdue_thread();
  }
}

/// Allocates nothing: a signal handler may be the caller, and this stack is never unwound.
void grid_run::leave_overdue_thread() {
  overdue_ = current_;
  go_to(nullptr, true);
  std::abort();  // an abandoned thread is never resumed
}

void grid_run::report_overdue() const {
  std::string const spent = step_limit_ == 0
                                ? std::to_string(ticks_ / ticks_per_second) + " s of CPU time"
                                : std::to_string(step_limit_) + " steps";
  fail(*overdue_->block,
       "thread " + std::to_string(overdue_->name.rank) +
           (takes_no_steps_ ? " runs in a loop without any call after " : " still goes on after ") +
           spent + " of the launch; " + describe_waits(*overdue_->block));
}

}  // namespace libscan::inline v1_executor::simt::executor
