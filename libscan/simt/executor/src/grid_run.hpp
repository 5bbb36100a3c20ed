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

  /// The calling thread, whose wait is filled in, lets others run until somebody wakes it.
  void suspend();

  /// Another ready thread may go on first.
  void yield();

  /// `sleeper` may go on; its wait is over.
  void wake(thread_state& sleeper);

  /// Something changed that others may wait for: a poll is worth repeating.
  void progress() { idle_rounds_ = 0; }

  // Polls (polling.cpp)
  void sleep_until_stored(void const* address, call_site site);
  void wake_pollers(void const* address);

  // Bulk copies (bulk_copy.cpp)
  void begin_copy(block_state& block, pending_copy copy);
  void land(block_state& block, std::size_t number);
  void phase_may_complete(block_state& block, void* barrier);

  // Grid barrier (block.cpp)
  bool complete_grid_barrier();

  /// A number that has never been one before: names an ordering event for observers.
  std::uint64_t new_key() { return ++keys_; }

  /// The message of an error of `block`, beginning with kernel and block.
  std::string message(block_state const& block, std::string const& text) const;
  [[noreturn]] void fail(std::string const& text) const;

  /// Checks whether those left behind by returning threads can still go on (block.cpp, warp.cpp).
  void after_return(thread_state& thread);

 private:
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
  void mark_ready(thread_state& thread);
  void stall_somebody();
  void advance_copies();
  bool unblock();
  [[noreturn]] void report_deadlock() const;

  grid const& work_;
  settings how_;
  observer* watcher_;
  stack_pool& stacks_;
  random_source random_;
  std::vector<std::unique_ptr<block_state>> slots_;
  std::vector<shared_bytes> retired_memory_;  // kept while an observer might confuse its reuse
  std::vector<std::uint32_t> start_order_;
  std::uint64_t ready_blocks_ = 0;
  std::uint64_t blocks_started_ = 0, blocks_finished_ = 0, blocks_total_ = 0;
  std::vector<thread_state*> pollers_;
  thread_state* current_ = nullptr;
  fiber host_;
  std::exception_ptr thrown_;
  int last_slot_ = 0, last_warp_ = 0;
  int idle_rounds_ = 0;
  std::uint64_t keys_ = 0;
  int copies_in_flight_ = 0;
  int finished_slot_ = -1;
  int stalled_slot_ = -1, stalled_warp_ = -1;
  unsigned stall_events_ = 0;
};

/// The launch under way on this OS thread.
extern thread_local grid_run* running_grid;

/// The checker of this build, if it has one (tsan_observer.cpp, racecheck.cpp, no_observer.cpp).
observer* default_observer();

/// How users of CUDA know a call.
char const* cuda_name(call what);
std::string describe(call_site site);

/// "threads 0-39 wait in __syncthreads at bugs.cuh:43; threads 40-63 ...".
std::string describe_waits(block_state const& block);

}  // namespace libscan::inline v1_executor::simt::executor
