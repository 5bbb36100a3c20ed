// SPDX-License-Identifier: Apache-2.0
// What a checker is told about a launch: who runs, and which events order which threads.
// ThreadSanitizer and the executor's own race checker are both observers; without one the executor
// tells nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <libscan/simt/executor/vocabulary.hpp>

namespace libscan::inline v1_executor::simt::executor {

/// A run of bytes.
struct memory_range {
  std::byte* begin = nullptr;
  std::size_t size = 0;
};

/// One thread of a kernel, as a checker knows it.
struct thread_name {
  uint3 block{};         ///< blockIdx
  uint3 thread{};        ///< threadIdx
  int rank = 0;          ///< linear index in its block
  int block_slot = 0;    ///< which of the blocks in flight; reused when a block has ended
  void* tag = nullptr;   ///< the observer's own
  memory_range stack{};  ///< where its local variables live
};

struct settings;
struct line_counts;

/// What a checker is told of a launch before anything runs. (blockDim and gridDim are set.)
struct launch_facts {
  settings const* how = nullptr;
  memory_range arguments{};   ///< of the kernel; its threads read them, nobody writes them
  std::string_view kernel{};  ///< typeid(Kernel).name()
  bool cluster = false;       ///< blocks reach into one another's shared memory
};

/// Receives the events of launches on one OS thread, in the order in which they happen. An event
/// names the thread it concerns; memory accesses of plain code are not events (compilers announce
/// those).
class observer {
 public:
  virtual ~observer() = default;

  /// Whether it hears of accesses to stacks as well, and would take one that is used a second time
  /// for memory that two threads share: then none is.
  virtual bool follows_stacks() const { return false; }

  /// A launch is about to start. What the host did before it comes before all that its threads do.
  virtual void launch_begins(launch_facts const&) {}

  /// A block becomes resident: its threads exist from here on, its shared memory holds nothing.
  virtual void block_begins(std::span<thread_name* const> threads,
                            std::span<memory_range const> shared_memory) = 0;
  virtual void block_ends(std::span<thread_name* const> threads,
                          std::span<memory_range const> shared_memory) = 0;

  /// `thread` goes on; nullptr: the host does. Orders nothing.
  virtual void running(thread_name* thread) = 0;

  /// `thread` has returned from the kernel.
  virtual void thread_ends(thread_name& thread) = 0;

  /// A barrier: whatever any of these threads did so far comes before all that they do next.
  virtual void barrier(std::span<thread_name* const> threads) = 0;

  /// What `thread` did so far comes before what follows an `acquire` with the same key.
  virtual void release(thread_name& thread, std::uint64_t key) = 0;
  virtual void acquire(thread_name& thread, std::uint64_t key) = 0;

  /// A fence: orders this thread's accesses before it against later fences of other threads.
  virtual void fence(thread_name& thread) = 0;

  /// A fence between the generic and the async proxy: what comes before it in the order of this
  /// thread comes before later bulk copies as well.
  virtual void proxy_fence(thread_name&) {}

  /// A bulk copy issued by `issuer` lands now. It reads and writes on its own, ordered after the
  /// `issued` key and before the `landed` key.
  virtual void bulk_copy(thread_name& issuer, memory_range target, memory_range source,
                         std::uint64_t issued, std::uint64_t landed, call_site site) = 0;

  /// These lanes of a warp, or all threads of blocks, are about to leave a collective together:
  /// accesses before and after it belong to different instructions.
  virtual void warp_converges(std::span<thread_name* const> lanes) = 0;

  /// The launch is over (`failed`: by an error, its threads were abandoned).
  virtual void launch_ends(bool failed) = 0;

  /// What this launch's threads did to memory up to their last convergence, over all lines; zeros
  /// from an observer that hears no accesses, or if the launch's settings count nothing.
  virtual line_counts counted();
};

/// Makes `watcher` hear of all launches of this OS thread from now on; nullptr: nobody. Returns the
/// former one. Builds for TSan and racecheck install theirs before main().
observer* install(observer* watcher);

/// Who hears of the launches of this OS thread: the installed observer, else the checker of the
/// build; nullptr: nobody. For observers that pass on to it what they hear.
observer* current_observer();

/// At any place of a kernel, lets a seeded schedule switch to another thread. Checkers call it at
/// memory accesses; does nothing outside a kernel and under a fixed schedule.
void preemption_point();

/// Makes the launch under way fail with a `kernel_error` that begins with kernel and block of
/// `thread`. Unwinds nothing, so that checkers may call it anywhere, also inside an access of plain
/// code: the calling thread of the kernel never goes on.
[[noreturn]] void abandon_launch(thread_name const& thread, std::string const& text);

}  // namespace libscan::inline v1_executor::simt::executor
