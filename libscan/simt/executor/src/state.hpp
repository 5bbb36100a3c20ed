// SPDX-License-Identifier: Apache-2.0
// The state of a running grid: threads in warps in blocks, each with what it waits for. Ready
// lanes, warps and blocks are bit masks, so that the next thread is found in a few instructions.
#pragma once

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <libscan/simt/executor/observer.hpp>
#include <libscan/simt/executor/runtime.hpp>
#include <libscan/simt/executor/settings.hpp>
#include <libscan/simt/executor/src/memory_map.hpp>

namespace libscan::inline v1_executor::simt::executor {

struct block_state;
struct warp_state;

/// A stack to switch to, and a sanitizer's data about it.
struct fiber {
  boost::context::detail::fcontext_t context = nullptr;
  std::byte* stack_bottom = nullptr;
  std::size_t stack_size = 0;
  void* asan_fake_stack = nullptr;
};

/// What a thread waits for, kept until the wait ends (error messages show it). Only the fields of
/// its call are meaningful.
struct wait {
  call what = call::none;  ///< none: the thread does not wait
  call_site site;
  warp_call const* collective = nullptr;  ///< on the stack of the thread that waits
  std::uint64_t bits = 0;         ///< operand of a warp collective, then what a shuffle read
  unsigned word = 0;              ///< result of any other warp collective
  void const* address = nullptr;  ///< of an mbarrier or a polled value; nullptr: of any value
  unsigned parity = 0;            ///< of an mbarrier wait
  std::uint64_t key = 0;          ///< of the mbarrier phase that ended the wait
};

/// One of the last atomic loads of a thread, to recognize a poll.
struct recent_load {
  void const* address = nullptr;
  std::uint64_t value = 0;
};

struct thread_state {
  fiber stack;
  executor::wait wait;
  warp_state* warp = nullptr;
  block_state* block = nullptr;
  int lane = 0;
  thread_name name;
  std::array<recent_load, 64>
      recent;  ///< written in turn; `loads_noted` since the count was last reset
  unsigned loads_noted = 0;
  unsigned last_noted = 0;  ///< where the last load is
  unsigned vain_loads = 0;  ///< loads in a row without a new value
  bool has_arrived =
      false;                ///< has arrived at the cluster's or grid's barrier and not waited since
  bool has_waited = false;  ///< has waited there
  std::uint64_t arrived_phase = 0;  ///< of that barrier
};

/// Lanes that have arrived in one warp collective and wait for the other lanes of its mask.
struct rendezvous {
  unsigned mask = 0;
  unsigned here = 0;
  call what = call::none;
};

struct warp_state {
  int index = 0;
  unsigned existing = 0;  ///< the lanes of this warp that exist, by the block's size
  unsigned ready = 0;
  unsigned returned = 0;
  unsigned in_active_mask = 0;  ///< lanes that wait in __activemask
  int open_count = 0;
  std::array<rendezvous, 32> open;  ///< only the first `open_count` are in use
  thread_state* lanes = nullptr;
};

/// The true state of an mbarrier; the kernel's eight bytes are only its address.
struct mbarrier_state {
  unsigned arrivals = 0;         ///< per phase
  unsigned pending = 0;          ///< arrivals missing in this phase
  std::int64_t bytes = 0;        ///< expected minus landed in this phase
  std::uint64_t phase = 0;       ///< completed phases
  std::uint64_t key = 0;         ///< of this phase, for observers
  std::uint64_t former_key = 0;  ///< of the phase before it
  call_site site;                ///< of its init
  bool unseen = false;           ///< no wait has seen the end of a phase in which a copy landed
  call_site unseen_copy;
};

using mbarrier_map = std::map<void const*, mbarrier_state>;

/// A bulk copy in flight.
struct pending_copy {
  memory_range target;
  memory_range source;
  void* barrier = nullptr;
  thread_state* issuer = nullptr;
  std::uint64_t issued_key = 0;
  std::uint64_t phase = 0;        ///< of the barrier when the copy was issued
  std::uint64_t events_left = 0;  ///< scheduling events until it lands by itself
  call_site site;
};

/// The value of every byte of shared memory when its block begins.
inline constexpr unsigned char uninitialized = 0xcb;

/// Eight bytes of shared memory as a bulk copy left them, and the number of proxy fences before it.
struct copied_word {
  std::uint64_t value = 0;
  std::uint64_t fences = 0;
};

struct block_state {
  uint3 index{};
  int slot = 0;
  std::vector<thread_state> threads;
  std::vector<warp_state> warps;
  std::vector<thread_name*> names;  ///< of all threads, for observers
  std::uint32_t ready_warps = 0;
  int returned = 0;
  int at_barrier = 0;
  int true_predicates = 0;  ///< among those at the barrier
  int barrier_result = 0;   ///< no thread leaves the next barrier before all have read this
  int at_grid_barrier = 0;
  thread_state const* first_at_barrier = nullptr;
  bool live = false;
  shared_bytes static_shared;
  shared_bytes dynamic_shared;
  std::size_t static_bytes = 0;
  std::size_t dynamic_bytes = 0;
  mbarrier_map mbarriers;
  // Lists, whose nodes are reused: moving or freeing memory that another kernel thread wrote would
  // look like a race to TSan.
  std::list<pending_copy> copies;
  std::list<pending_copy> landed_copies;

  /// Shared memory as bulk copies last left it, by 8 bytes; empty before the first copy. Words that
  /// differ have been written by threads.
  std::vector<copied_word> copied_static, copied_dynamic;
  std::uint64_t proxy_fences = 0;  ///< number so far, by threads that reach the block's memory

  int size() const { return static_cast<int>(threads.size()); }
  std::vector<memory_range> shared_ranges() const;
  bool owns(void const* address, std::size_t bytes) const;
};

/// A line as the compiler names it; equal files may have several addresses.
struct site_key {
  char const* file = "";
  int line = 0;
  auto operator<=>(site_key const&) const = default;
};

/// xorshift64*: small, fast, and good enough to shuffle threads (Vigna 2016).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {
    if (state_ == 0) state_ = 1;
  }
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545f4914f6cdd1du) >> 11;
  }
  /// Uniform in [0, bound).
  unsigned below(unsigned bound) {
    return static_cast<unsigned>(((next() & 0xffffffffu) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Whether `thread` waits: it does not run, may not go on, and has not returned.
inline bool waits(thread_state const& thread) {
  return thread.wait.what != call::none && (thread.warp->ready >> thread.lane & 1u) == 0;
}

inline bool has_returned(thread_state const& thread) {
  return (thread.warp->returned >> thread.lane & 1u) != 0;
}

}  // namespace libscan::inline v1_executor::simt::executor
