// SPDX-License-Identifier: Apache-2.0
// How threads wait for their turns, and help those who are late: the clocks that limit a wait, the
// chunks that each thread has claimed, and how long a chunk usually takes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_turns.hpp>

namespace libscan::inline v1::cpu::detail {

/// Tells the core that this thread is waiting, so that a sibling hardware thread can run.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits for another thread for the k-th time in a row: first briefly; then it yields, since on a
/// busy machine the other thread may need this core; finally it sleeps.
inline void back_off(int k) {
  if (k < 64) {
    relax();
  } else if (k < 1000) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// A clock that costs almost nothing: the processor's own ticks, or nanoseconds.
inline std::int64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

/// Ticks, some 10 to 70 us, for which a thread only polls its turn.
inline constexpr std::int64_t short_wait = std::int64_t{1} << 16;

inline std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Nanoseconds of CPU time of the calling thread.
inline std::int64_t thread_ns() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  std::timespec now;
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0) {
    return std::int64_t{1000000000} * now.tv_sec + now.tv_nsec;
  }
#endif
  return wall_ns();
}

/// A claimed chunk, shared by its owner and a helper. The owner changes `claimed` to `passed` when
/// its turn comes. A helper changes `claimed` to `helped` while it reads the chunk, then to
/// `delivering` and `delivered`: the owner's carry is stored here. A faster owner changes `helped`
/// to `overtaken`, and may not write its chunk before the helper changes that to `left`.
enum class claim_state : std::uint8_t {
  claimed,
  passed,
  helped,
  delivering,
  delivered,
  overtaken,
  left
};

struct claimed_chunk {
  std::atomic<index_t> word{-1};  ///< the chunk and its `claim_state`

  static index_t word_of(index_t chunk, claim_state state) {
    return chunk * 8 + static_cast<index_t>(state);
  }
  bool is_of(index_t chunk) const { return word.load(std::memory_order_relaxed) / 8 == chunk; }

  /// Changes the state of `chunk` if it is still `from`.
  bool change(index_t chunk, claim_state from, claim_state to) {
    index_t expected = word_of(chunk, from);
    return word.compare_exchange_strong(expected, word_of(chunk, to), std::memory_order_acq_rel,
                                        std::memory_order_acquire);
  }
  void set(index_t chunk, claim_state state) {
    word.store(word_of(chunk, state), std::memory_order_release);
  }
  bool is(index_t chunk, claim_state state) const {
    return word.load(std::memory_order_acquire) == word_of(chunk, state);
  }
};

/// One thread of a chain: its claims (a thread claims its next chunk before it has finished the
/// current one), and how long a chunk usually takes it.
struct alignas(2 * cache_line) chain_member {
  claimed_chunk claims[2];
  std::int64_t claimed = 0;
  std::atomic<bool> late = false;  ///< has delayed others that could not help

  claimed_chunk& claim_of(index_t chunk) { return claims[claims[0].is_of(chunk) ? 0 : 1]; }

  /// Starts to measure; measuring stops before a wait that may be long.
  void resume() {
    began_ns_ = thread_ns();
    began_claimed_ = claimed;
  }
  std::int64_t usual_ns() {
    // Before the first measurement: about the time since the start, which may include pauses.
    if (began_ns_ < 0) return std::min(max_first_ns, (ticks() - joined_at) / 2 / (claimed + 1));
    return (thread_ns() - began_ns_) / std::max<std::int64_t>(1, claimed - began_claimed_);
  }

  std::int64_t joined_at = 0;  ///< in ticks, which cost a short call nothing

 private:
  static constexpr std::int64_t max_first_ns = 1000000;

  std::int64_t began_ns_ = -1;
  std::int64_t began_claimed_ = 0;
};

namespace {

constexpr std::int64_t next_patience_ns = 2000;
constexpr std::int64_t late_ns = 500000;

}  // namespace

chunk_turns::chunk_turns(int threads, index_t chunks, std::size_t carry_bytes,
                         std::size_t carry_alignment)
    : threads_(threads), carry_bytes_(carry_bytes), limit_(chunks) {
  static_assert(sizeof(chain_member) <= member_bytes && alignof(chain_member) <= member_bytes);
  static_assert(std::is_trivially_destructible_v<chain_member>);
  if (threads <= 1) return;
  if (threads <= few_members) {
    members_ = reinterpret_cast<chain_member*>(few_);
    for (int i = 0; i < threads; ++i) std::construct_at(members_ + i);
  } else {
    more_.set(new chain_member[static_cast<std::size_t>(threads)]());
    members_ = more_.get();
  }
  if (threads <= few_members && carry_bytes <= few_carry_bytes &&
      carry_alignment <= few_carry_bytes) {
    carries_ = few_carries_;
  } else {
    more_carries_.allocate(2 * static_cast<std::size_t>(threads) * carry_bytes,
                           std::align_val_t{carry_alignment});
    carries_ = more_carries_.get();
  }
}

chunk_turns::~chunk_turns() = default;

chain_member* chunk_turns::join() {
  if (members_ == nullptr) return nullptr;
  active_.fetch_add(1, std::memory_order_relaxed);
  auto const index = joined_.fetch_add(1, std::memory_order_relaxed);
  members_[index].joined_at = ticks();
  return members_ + index;
}

std::optional<index_t> chunk_turns::claim(chain_member* self) {
  if (self != nullptr && self->late.load(std::memory_order_relaxed) && leave()) {
    return std::nullopt;
  }
  index_t const mine = ticket_.fetch_add(1, std::memory_order_relaxed);
  if (mine >= limit_.load(std::memory_order_relaxed)) return std::nullopt;
  if (self != nullptr) self->claims[self->claimed++ % 2].set(mine, claim_state::claimed);
  return mine;
}

void chunk_turns::fail(index_t mine, std::exception_ptr error) {
  // One for all calls: they seldom fail, and <mutex> would take long to compile in their header.
  static std::mutex failure;
  std::scoped_lock const lock(failure);
  if (mine >= limit_.load(std::memory_order_relaxed)) return;
  error_ = error;
  limit_.store(mine, std::memory_order_relaxed);
}

void chunk_turns::throw_error() const {
  if (error_) std::rethrow_exception(error_);
}

handover chunk_turns::take_turn(chain_member* self, index_t mine, helper const& help) {
  if (self == nullptr) return handover::own;
  if (turn_.load(std::memory_order_acquire) < mine && !wait_for_turn(*self, mine, help)) {
    return handover::failed;
  }
  // Only the thread that changed the state of the current chunk touches the carry.
  claimed_chunk& own = self->claim_of(mine);
  return own.change(mine, claim_state::claimed, claim_state::passed) ? handover::own
                                                                     : meet_helper(own, mine);
}

/// `take_turn` of the current chunk, which has or had a helper.
handover chunk_turns::meet_helper(claimed_chunk& own, index_t mine) {
  if (own.change(mine, claim_state::helped, claim_state::overtaken)) return handover::overtaken;
  // A helper that could not sum it has given it back.
  if (own.change(mine, claim_state::claimed, claim_state::passed)) return handover::own;
  for (int waits = 0; !own.is(mine, claim_state::delivered); ++waits) {
    if (has_failed(mine)) return handover::failed;
    back_off(waits);
  }
  return handover::delivered;
}

void chunk_turns::wait_for_helper(chain_member* self, index_t mine) {
  claimed_chunk const& own = self->claim_of(mine);
  for (int waits = 0; !own.is(mine, claim_state::left); ++waits) back_off(waits);
}

void* chunk_turns::delivered(chain_member* self, index_t mine) {
  return carry_of(self->claim_of(mine));
}

/// False if an earlier chunk has failed.
bool chunk_turns::wait_for_turn(chain_member& self, index_t mine, helper const& help) {
  std::int64_t const since = ticks();
  for (int waits = 1; turn_.load(std::memory_order_acquire) < mine; ++waits) {
    if (has_failed(mine)) return false;
    if (waits % 16 == 0 && ticks() - since > short_wait) return wait_long(self, mine, help);
    relax();
  }
  return true;
}

/// The same, but after some time helps a late thread. That time is about what a chunk takes, so a
/// working thread gets no help.
bool chunk_turns::wait_long(chain_member& self, index_t mine, helper const& help) {
  std::int64_t const usual = self.usual_ns();
  std::int64_t patience = usual, since = wall_ns();
  chain_member* owner = nullptr;  // of the current chunk
  for (int waits = 1, idle = 0; turn_.load(std::memory_order_acquire) < mine; ++waits) {
    if (has_failed(mine)) return false;
    std::int64_t const waited = waits % 16 == 0 ? wall_ns() - since : 0;
    if (waited <= patience) {
      relax();
    } else if (help_late(help)) {
      // The owner of the next chunk may have lost its core, too.
      patience = std::min(usual, next_patience_ns);
      since = wall_ns();
      idle = 0;
    } else {
      owner = nullptr;
      claim_on(turn_.load(std::memory_order_acquire), &owner);
      back_off(idle++);
    }
  }
  // This thread may have slept in the meantime as well; the machine is busy either way.
  bool const late = wall_ns() - since > 2 * usual + late_ns;
  if (late && owner != nullptr) owner->late.store(true, std::memory_order_relaxed);
  self.resume();
  return true;
}

/// The claim on `chunk`, and its owner, if no one helps it yet; else null.
claimed_chunk* chunk_turns::claim_on(index_t chunk, chain_member** owner) {
  for (int i = 0; i < threads_; ++i) {
    for (claimed_chunk& claim : members_[i].claims) {
      if (!claim.is(chunk, claim_state::claimed)) continue;
      *owner = members_ + i;
      return &claim;
    }
  }
  return nullptr;
}

/// Whether the calling thread may leave: another thread stays and claims the remaining chunks.
bool chunk_turns::leave() {
  int active = active_.load(std::memory_order_relaxed);
  while (active > 1) {
    if (active_.compare_exchange_weak(active, active - 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

/// Sums the current chunk in place of its owner, and passes its carry on. False if there is nothing
/// to do.
bool chunk_turns::help_late(helper const& help) {
  if (!help.is_ready(help.self)) return false;
  index_t const chunk = turn_.load(std::memory_order_acquire);
  chain_member* owner = nullptr;
  claimed_chunk* const late = claim_on(chunk, &owner);
  if (late == nullptr || !late->change(chunk, claim_state::claimed, claim_state::helped)) {
    return false;
  }
  try {
    help.sum(help.self, chunk);
    if (late->change(chunk, claim_state::helped, claim_state::delivering)) {
      help.deliver(help.self, carry_of(*late));
      late->set(chunk, claim_state::delivered);
      pass_turn(chunk);
      return true;
    }
  } catch (...) {
    fail(chunk, std::current_exception());
    if (late->change(chunk, claim_state::helped, claim_state::claimed)) return true;
  }
  if (late->is(chunk, claim_state::overtaken)) late->set(chunk, claim_state::left);
  return true;
}

/// Where the carry for a claimed chunk is put.
void* chunk_turns::carry_of(claimed_chunk const& claim) {
  int slot = 0;
  while (&members_[slot / 2].claims[slot % 2] != &claim) ++slot;
  return carries_ + static_cast<std::size_t>(slot) * carry_bytes_;
}

}  // namespace libscan::inline v1::cpu::detail
