// SPDX-License-Identifier: Apache-2.0
// What the executor knows of a running grid: threads in warps in blocks, each with what it waits
// for. Ready lanes, warps and blocks are bit masks, so that the next thread is found in a few
// instructions.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <libscan/simt/executor/observer.hpp>
#include <libscan/simt/executor/runtime.hpp>
#include <libscan/simt/executor/settings.hpp>

namespace libscan::inline v1_executor::simt::executor {

struct block_state;
struct warp_state;

enum class status : std::uint8_t { ready, waiting, returned };

/// A stack to switch to, and what a sanitizer wants to know about it.
struct fiber {
  boost::context::detail::fcontext_t context = nullptr;
  std::byte* stack_bottom = nullptr;
  std::size_t stack_size = 0;
  void* asan_fake_stack = nullptr;
};

/// What a thread waits for, kept until the wait ends (and shown by error messages).
struct wait {
  call what = call::none;
  call_site site;
  warp_call collective;           ///< for warp collectives
  bool predicate = false;         ///< for block barriers
  int count = 0;                  ///< result of a block barrier
  unsigned word = 0;              ///< result of a warp collective
  void const* address = nullptr;  ///< of a polled value or an mbarrier
  unsigned parity = 0;            ///< of an mbarrier wait
};

struct thread_state {
  fiber stack;
  thread_name name;
  block_state* block = nullptr;
  warp_state* warp = nullptr;
  int lane = 0;
  executor::status status = status::ready;
  executor::wait wait;
  // The last value this thread read by an atomic load, to recognise a poll.
  void const* read_address = nullptr;
  std::uint64_t read_value = 0;
};

struct warp_state {
  int index = 0;
  unsigned existing = 0;  ///< lanes the block's size gives this warp
  unsigned ready = 0;
  unsigned returned = 0;
  unsigned in_collective = 0;  ///< lanes that wait in a warp collective
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
};

/// A bulk copy under way.
struct pending_copy {
  memory_range target;
  memory_range source;
  void* barrier = nullptr;
  thread_state* issuer = nullptr;
  std::uint64_t issued_key = 0;
  std::uint64_t events_left = 0;  ///< scheduling events until it lands by itself
  call_site site;
};

struct aligned_delete {
  std::size_t alignment;
  void operator()(std::byte* memory) const {
    ::operator delete[](memory, std::align_val_t{alignment});
  }
};
using shared_bytes = std::unique_ptr<std::byte[], aligned_delete>;

struct block_state {
  uint3 index{};
  int slot = 0;
  std::vector<thread_state> threads;
  std::vector<warp_state> warps;
  std::vector<thread_name*> names;  ///< of all threads, for observers
  std::uint32_t ready_warps = 0;
  int returned = 0;
  int at_barrier = 0;
  int at_grid_barrier = 0;
  thread_state const* first_at_barrier = nullptr;
  bool live = false;
  shared_bytes static_shared{nullptr, aligned_delete{1}};
  shared_bytes dynamic_shared{nullptr, aligned_delete{1}};
  std::size_t static_bytes = 0;
  std::size_t dynamic_bytes = 0;
  std::map<void const*, mbarrier_state> mbarriers;
  std::vector<pending_copy> copies;

  int size() const { return static_cast<int>(threads.size()); }
  std::vector<memory_range> shared_ranges() const;
  bool owns(void const* address, std::size_t bytes) const;
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
  unsigned below(unsigned bound) { return static_cast<unsigned>(next() % bound); }

 private:
  std::uint64_t state_;
};

}  // namespace libscan::inline v1_executor::simt::executor
