// SPDX-License-Identifier: Apache-2.0
// One launch: which blocks are resident, which thread goes on next, and what to do when none can.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <libscan/simt/executor/src/fiber.hpp>
#include <libscan/simt/executor/src/state.hpp>

namespace libscan::inline v1_executor::simt::executor {

/// A clock for endless loops: it ticks while an OS thread that launches kernels uses CPU time.
inline constexpr unsigned ticks_per_second = 4;

/// From now on the current launch of this OS thread receives `grid_run::tick`, in a signal handler,
/// after every quarter second of CPU time. Does nothing if the system or the build's sanitizer does
/// not support it.
void start_ticks();

class grid_run {
 public:
  grid_run(grid const& work, settings const& how, observer* watcher, stack_pool& stacks);
  ~grid_run();
  grid_run(grid_run const&) = delete;
  grid_run& operator=(grid_run const&) = delete;

  /// Runs the grid to its end; on the host's stack.
  void run();

  thread_state& self() { return *current_; }
  settings const& how() const { return how_; }
  observer* watcher() const { return watcher_; }
  grid const& work() const { return work_; }
  random_source& random() { return random_; }
  bool seeded() const { return how_.schedule == schedule::seeded; }

  /// The calling thread, whose wait is filled in, lets others run until one wakes it.
  void suspend();

  /// Another ready thread may go on first.
  void yield();

  /// `sleeper` may go on; its wait is over.
  void wake(thread_state& sleeper) {
    wake_lanes(*sleeper.block, *sleeper.warp, 1u << sleeper.lane);
  }
  void wake_lanes(block_state& block, warp_state& warp, unsigned lanes) {
    if (lanes == 0) return;
    warp.ready |= lanes;
    block.ready_warps |= 1u << warp.index;
    ready_blocks_ |= std::uint64_t{1} << block.slot;
  }

  // __activemask (warp.cpp)
  unsigned ask_active_lanes(call_site site);

  /// Something that others may wait for has changed: a poll is worth repeating.
  void progress() { idle_rounds_ = 0; }

  // Polls (polling.cpp)
  void sleep_until_stored(void const* address, call_site site);
  void wake_pollers(void const* address);

  // Bulk copies (bulk_copy.cpp)
  void begin_copy(block_state& block, pending_copy const& copy);
  void land(block_state& block, std::list<pending_copy>::iterator which);
  void phase_may_complete(block_state& block, void* barrier);
  void proxy_fence();
  void require_proxy_fence(block_state& block, memory_range target, call_site site) const;

  // Barriers of grids and clusters (block.cpp)
  [[noreturn]] void fail_as_not_cooperative(call_site site) const;
  bool complete_grid_barrier();
  void arrive_among_blocks(call waits_in, call_site site);
  void wait_among_blocks(call waits_in, call_site site);
  block_state& block_of_cluster(unsigned block, call_site site);

  /// The counts of `site` in this launch; only called if something counts. They are kept apart from
  /// the user's counts until the end, since the code for those may be instrumented.
  line_counts& tally(call_site site) { return tallies_[{site.file, site.line}]; }

  /// Called by a thread whenever it enters the executor: it may be one step too many.
  void step() {
    steps_ = steps_ + 1;
    end_if_overdue();
  }
  void end_if_overdue() {
    if (steps_ > step_limit_) [[unlikely]] {
      if (current_ != nullptr) leave_overdue_thread();
    }
  }

  /// A quarter second of CPU time has passed (watchdog.cpp). Runs in a signal handler.
  void tick();

  /// A number that was never used before: names an ordering event for observers.
  std::uint64_t new_key() { return ++keys_; }

  /// The message of an error of `block`, beginning with kernel and block.
  std::string message(block_state const& block, std::string const& text) const;

  /// Throws a `kernel_error` that blames the calling thread's block, or `block`.
  [[noreturn]] void fail(std::string const& text) const;
  [[noreturn]] void fail(block_state const& block, std::string const& text) const;

  /// Ends the launch with an error, without unwinding anything of the calling thread.
  [[noreturn]] void abandon(thread_name const& thread, std::string const& text);

  /// Checks whether the threads that remain after others returned can still go on (block.cpp,
  /// warp.cpp).
  void after_return(thread_state& thread);

 private:
  [[noreturn]] void leave_overdue_thread();
  [[noreturn]] void report_overdue() const;
  static void fiber_entry(boost::context::detail::transfer_t transfer);
  void thread_returned();
  void start_block(int slot);
  void retire_block(int slot);
  void fill_slots();
  int resident_blocks() const;
  uint3 next_block_index();
  void resume(thread_state& next);
  void go_to(thread_state* next, bool ends);

  thread_state* pick();
  thread_state* pick_fixed();
  thread_state* pick_seeded();
  thread_state* take(block_state& block, int warp, int lane);
  void stall_somebody();
  void make_threads(block_state& block, int slot);
  void hand_over_counts();
  void give_back_stacks(block_state& block);
  void advance_copies();
  bool unblock();
  bool answer_active_lanes();
  void give_active_lanes(warp_state& warp, unsigned lanes, unsigned answer);
  [[noreturn]] void report_deadlock() const;
  void check_copies(block_state const& block) const;

  grid const& work_;
  settings how_;
  observer* watcher_;
  stack_pool& stacks_;
  random_source random_;
  std::vector<std::unique_ptr<block_state>> slots_;
  // Kept while an observer might confuse its reuse.
  std::vector<shared_bytes> retired_memory_;
  std::vector<mbarrier_map> retired_mbarriers_;
  std::vector<std::uint32_t> start_order_;
  std::uint64_t ready_blocks_ = 0;
  std::uint64_t blocks_started_ = 0, blocks_finished_ = 0, blocks_total_ = 0;
  std::vector<thread_state*> pollers_;
  thread_state* current_ = nullptr;
  fiber host_;
  std::exception_ptr thrown_;
  int last_slot_ = 0, last_warp_ = 0;
  std::size_t idle_rounds_ = 0;
  std::uint64_t keys_ = 0;
  // Volatile: the signal handler also reads and writes them.
  std::uint64_t volatile steps_ = 0, step_limit_ = 0;
  unsigned volatile ticks_ = 0;
  std::uint64_t steps_at_tick_ = 0;
  unsigned ticks_without_step_ = 0;
  thread_state const* overdue_ = nullptr;  ///< it has taken too many steps, or too long
  bool takes_no_steps_ = false;
  std::map<site_key, line_counts> tallies_;
  std::uint64_t arrivals_ = 0;     ///< at the barrier of the cluster or the grid, in this phase
  std::uint64_t meetings_ = 0;     ///< completed phases of that barrier
  std::uint64_t meeting_key_ = 0;  ///< of this phase, for observers
  std::uint64_t former_meeting_key_ = 0;
  int copies_in_flight_ = 0;
  int lanes_asking_ = 0;  ///< in __activemask
  int finished_slot_ = -1;
  int stalled_slot_ = -1, stalled_warp_ = -1;
  unsigned stall_events_ = 0;
};

[[gnu::always_inline]] inline void grid_run::go_to(thread_state* next, bool ends) {
  fiber& from = current_ != nullptr ? current_->stack : host_;
  current_ = next;
  if (next != nullptr) {
    threadIdx = next->name.thread;
    blockIdx = next->name.block;
  }
  if (watcher_ != nullptr) watcher_->running(next != nullptr ? &next->name : nullptr);
  switch_fiber(from, next != nullptr ? next->stack : host_, ends);
}

[[gnu::always_inline]] inline void grid_run::suspend() {
  thread_state& me = *current_;
  thread_state* const next = pick();
  // The event that this thread waits for may also have woken a ready thread: then switch straight
  // to it.
  if (next != &me) go_to(next, false);
  me.wait.what = call::none;
}

/// The current launch of this OS thread.
extern constinit thread_local grid_run* running_grid;

/// The checker of this build, if it has one (tsan_observer.cpp, racecheck/race_checker.cpp,
/// no_observer.cpp).
observer* default_observer();

/// The name that CUDA users know for a call.
char const* cuda_name(call what);
std::string describe(call_site site);

/// "(1,0,0)".
std::string coordinates(uint3 index);

/// "__ballot_sync (mask ffffffff) at bugs.cu:44".
std::string describe(warp_call const& made);

/// "threads 0-39 wait in __syncthreads at bugs.cu:43; threads 40-63 ...".
std::string describe_waits(block_state const& block);

}  // namespace libscan::inline v1_executor::simt::executor
