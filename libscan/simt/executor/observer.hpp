// SPDX-License-Identifier: Apache-2.0
// The events of a launch that a checker receives: which thread runs, and which events order which
// threads. ThreadSanitizer and the executor's own race checker are both observers. Without an
// observer the executor reports nothing.
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

/// One thread of a kernel, for a checker.
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

/// What a checker learns about a launch before anything runs. (blockDim and gridDim are set.)
struct launch_facts {
  settings const* how = nullptr;
  memory_range arguments{};   ///< of the kernel; its threads read them, none writes them
  std::string_view kernel{};  ///< typeid(Kernel).name()
  bool cluster = false;       ///< blocks reach into one another's shared memory
};

/// Receives the events of launches on one OS thread, in the order in which they happen. An event
/// names its thread. Memory accesses of plain code are not events: compilers announce those.
class observer {
 public:
  virtual ~observer() = default;

  /// Whether the observer also hears accesses to stacks, and would take a reused stack for memory
  /// that two threads share. If so, no stack is reused.
  virtual bool follows_stacks() const { return false; }

  /// A launch is about to start. All that the host did before it comes before all that its threads
  /// do.
  virtual void launch_begins(launch_facts const&) {}

  /// A block becomes resident: its threads exist from here on, and its shared memory is
  /// uninitialized.
  virtual void block_begins(std::span<thread_name* const> threads,
                            std::span<memory_range const> shared_memory) = 0;
  virtual void block_ends(std::span<thread_name* const> threads,
                          std::span<memory_range const> shared_memory) = 0;

  /// `thread` goes on (nullptr: the host). Orders nothing.
  virtual void running(thread_name* thread) = 0;

  /// `thread` has returned from the kernel.
  virtual void thread_ends(thread_name& thread) = 0;

  /// A barrier: all that any of these threads did so far comes before all that they do next.
  virtual void barrier(std::span<thread_name* const> threads) = 0;

  /// All that `thread` did so far comes before what follows an `acquire` with the same key.
  virtual void release(thread_name& thread, std::uint64_t key) = 0;
  virtual void acquire(thread_name& thread, std::uint64_t key) = 0;

  /// A fence: orders this thread's accesses before it against later fences of other threads.
  virtual void fence(thread_name& thread) = 0;

  /// A fence between the generic and the async proxy: this thread's earlier accesses also come
  /// before later bulk copies.
  virtual void proxy_fence(thread_name&) {}

  /// A bulk copy issued by `issuer` lands now. It is ordered after the `issued` key and before the
  /// `landed` key.
  virtual void bulk_copy(thread_name& issuer, memory_range target, memory_range source,
                         std::uint64_t issued, std::uint64_t landed, call_site site) = 0;

  /// These lanes of a warp, or all threads of blocks, are about to leave a collective together:
  /// their accesses before and after it belong to different instructions.
  virtual void warp_converges(std::span<thread_name* const> lanes) = 0;

  /// The launch is over. `failed`: it ended with an error and its threads were abandoned.
  virtual void launch_ends(bool failed) = 0;

  /// The counts of this launch's memory accesses up to the threads' last convergence, over all
  /// lines. Zeros from an observer that hears no accesses, or if the launch's settings count
  /// nothing.
  virtual line_counts counted();
};

/// Makes `watcher` hear all launches of this OS thread from now on (nullptr: no observer). Returns
/// the former one. Builds for TSan and racecheck install theirs before main().
observer* install(observer* watcher);

/// The observer of this OS thread's launches: the installed one, else the checker of the build,
/// else nullptr. For observers that forward events to it.
observer* current_observer();

/// Lets a seeded schedule switch to another thread at any place of a kernel. Checkers call it at
/// memory accesses. Does nothing outside a kernel or under a fixed schedule.
void preemption_point();

/// Makes the current launch fail with a `kernel_error` that begins with the kernel and the block of
/// `thread`. Unwinds nothing, so checkers may call it anywhere, even inside an access of plain
/// code: the calling kernel thread never goes on.
[[noreturn]] void abandon_launch(thread_name const& thread, std::string const& text);

}  // namespace libscan::inline v1_executor::simt::executor
