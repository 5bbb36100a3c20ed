// SPDX-License-Identifier: Apache-2.0
// The order in which threads claim chunks and take their turns, whatever the carries are that they
// pass on (chunk_chain.hpp). It is compiled once (chunk_turns.cpp): each operator adds little.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>

#include <libscan/core/light_memory.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// The unit of transfer between memory and caches, in bytes.
inline constexpr index_t cache_line = 64;

struct chain_member;
struct claimed_chunk;

/// How a waiting thread helps a late one. The functions know the type of the carries.
struct helper {
  void* self;
  bool (*is_ready)(void* self);              ///< whether it can sum a chunk
  void (*sum)(void* self, index_t chunk);    ///< sums the chunk, and keeps the sum
  void (*deliver)(void* self, void* carry);  ///< puts the carry there, and adds the sum to it
};

/// How a thread has its turn.
enum class handover {
  own,        ///< it passes the carry on
  overtaken,  ///< the same, but a helper still reads the chunk
  delivered,  ///< a helper has passed it on: the thread's own carry is there
  failed      ///< an earlier chunk failed, so that the turn may never come
};

/// The order in which chunks run. Forward progress: an atomic ticket gives out chunks in ascending
/// order, and only to a running thread. A thread that waits for chunk k therefore waits for a
/// running thread, which waits at most for k - 1, and chunk 0 waits for none. Hence every wait
/// ends, with any number of threads. With helpers that are ready a thread only waits for another
/// while that one holds the carry.
class chunk_turns {
 public:
  /// Throws std::bad_alloc.
  chunk_turns(int threads, index_t chunks, std::size_t carry_bytes, std::size_t carry_alignment);
  ~chunk_turns();
  chunk_turns(chunk_turns const&) = delete;
  chunk_turns& operator=(chunk_turns const&) = delete;

  /// Each thread calls this once; at most `threads` threads do. Null for a single thread.
  chain_member* join();

  /// The next chunk to work on; nothing if all are claimed, an earlier one has failed, or the other
  /// threads are better off without this one.
  std::optional<index_t> claim(chain_member* self);

  /// Records that chunk `mine` threw. Later chunks stop, earlier ones go on, so the reported error
  /// is always that of the first failing chunk: the one that a serial loop would meet.
  void fail(index_t mine, std::exception_ptr error);

 protected:
  /// Waits for chunk `mine`'s turn, and helps whoever is late meanwhile.
  handover take_turn(chain_member* self, index_t mine, helper const& help);

  /// Passes the turn on from chunk `mine`. The turn orders all accesses to the carry.
  void pass_turn(index_t mine) { turn_.store(mine + 1, std::memory_order_release); }

  /// After `handover::overtaken`: returns once the helper no longer reads the chunk.
  void wait_for_helper(chain_member* self, index_t mine);

  /// After `handover::delivered`: where the carry is.
  void* delivered(chain_member* self, index_t mine);

  /// After all threads have returned: throws the recorded exception.
  void throw_error() const;

 private:
  /// Members that need no allocation, and how many bytes their carries may have.
  static constexpr int few_members = 4;
  static constexpr std::size_t member_bytes = 2 * cache_line, few_carry_bytes = 64;

  bool has_failed(index_t chunk) const { return limit_.load(std::memory_order_relaxed) <= chunk; }
  bool wait_for_turn(chain_member& self, index_t mine, helper const& help);
  bool wait_long(chain_member& self, index_t mine, helper const& help);
  handover meet_helper(claimed_chunk& own, index_t mine);
  claimed_chunk* claim_on(index_t chunk, chain_member** owner);
  bool help_late(helper const& help);
  bool leave();
  void* carry_of(claimed_chunk const& claim);

  int threads_;
  std::size_t carry_bytes_;
  chain_member* members_ = nullptr;
  std::byte* carries_ = nullptr;  // two a member
  libscan::detail::owned_array<chain_member> more_;
  libscan::detail::owned_bytes more_carries_;
  alignas(cache_line) std::atomic<index_t> ticket_{0};
  std::atomic<int> joined_{0};                      // threads that joined
  std::atomic<int> active_{0};                      // those that have not left
  alignas(cache_line) std::atomic<index_t> limit_;  // chunks from here on are not needed
  std::exception_ptr error_;
  alignas(member_bytes) std::byte few_[few_members * member_bytes];
  alignas(few_carry_bytes) std::byte few_carries_[2 * few_members * few_carry_bytes];
  alignas(cache_line) std::atomic<index_t> turn_{0};  // the carry follows, on the same line
};

}  // namespace libscan::inline v1::cpu::detail
