// SPDX-License-Identifier: Apache-2.0
// The carry that passes from chunk to chunk, and the threads that pass it on. If the owner of an
// earlier chunk has lost its core, a waiting thread sums that chunk again and passes the carry on
// in the owner's place. On a busy machine no thread waits for the scheduler. If sums must not be
// computed twice, the thread waits; the late owner then leaves the chain, so the others do not wait
// for it again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/claimed_chunk.hpp>
#include <libscan/cpu/waiting.hpp>

namespace libscan::inline v1::cpu::detail {

/// How a waiting thread computes the aggregate of a chunk again: by `sum`, if `ready` returns true.
/// Plain functions, so that the chain is compiled once for all its users.
template <class T>
struct second_sums {
  void* self;
  bool (*is_ready)(void*);
  T (*make)(void*, index_t);

  bool ready() const { return is_ready(self); }
  T sum(index_t chunk) const { return make(self, chunk); }
};

/// The functions of an object with `ready()` and `sum<T>(chunk)`, which outlives them.
template <class T, class Object>
second_sums<T> second_sums_of(Object& object) {
  return {
      &object, [](void* self) { return static_cast<Object*>(self)->ready(); },
      [](void* self, index_t chunk) { return static_cast<Object*>(self)->template sum<T>(chunk); }};
}

/// The order in which chunks run, and the carry that passes from each to the next. Forward
/// progress: an atomic ticket gives out chunks in ascending order, and only to a running thread. A
/// thread that waits for chunk k therefore waits for a running thread, which waits at most for k -
/// 1, and chunk 0 waits for none. Hence every wait ends, with any number of threads. With second
/// sums a thread only waits for another while that one holds the carry.
template <monoid Op>
class carry_chain {
 public:
  using T = typename Op::value_type;
  using member = chain_member<T>;

  carry_chain(int threads, index_t chunks, Op op, T init)
      : op_(op), threads_(threads), carry_(init), limit_(chunks) {
    if (threads <= 1) return;
    if (threads <= few_members) {
      members_ = reinterpret_cast<member*>(few_);
      for (int i = 0; i < threads; ++i) std::construct_at(members_ + i);
    } else {
      more_ = std::make_unique<member[]>(static_cast<std::size_t>(threads));
      members_ = more_.get();
    }
  }
  carry_chain(carry_chain const&) = delete;
  carry_chain& operator=(carry_chain const&) = delete;

  /// Each thread calls this once; at most `threads` threads do. Null for a single thread.
  member* join() {
    if (members_ == nullptr) return nullptr;
    active_.fetch_add(1, std::memory_order_relaxed);
    auto const index = joined_.fetch_add(1, std::memory_order_relaxed);
    members_[index].joined_at = ticks();
    return members_ + index;
  }

  /// The next chunk to work on; nothing if all are claimed, an earlier one has failed, or the other
  /// threads are better off without this one.
  std::optional<index_t> claim(member* self) {
    if (self != nullptr && self->late.load(std::memory_order_relaxed) && leave()) {
      return std::nullopt;
    }
    index_t const mine = ticket_.fetch_add(1, std::memory_order_relaxed);
    if (mine >= limit_.load(std::memory_order_relaxed)) return std::nullopt;
    if (self != nullptr) self->claims[self->claimed++ % 2].set(mine, claim_state::claimed);
    return mine;
  }

  /// Waits for chunk `mine`'s turn, takes its carry and passes op(carry, aggregate) to the next
  /// chunk. Nothing if an earlier chunk failed, since the turn may then never come. While waiting
  /// it may call second.sum(k), which returns the aggregate of chunk k again, if second.ready().
  std::optional<T> exchange_carry(member* self, index_t mine, T const& aggregate,
                                  second_sums<T> const& second) {
    if (self == nullptr) return advance(mine, aggregate);
    if (turn_.load(std::memory_order_acquire) < mine && !wait_for_turn(*self, mine, second)) {
      return std::nullopt;
    }
    claimed_chunk<T>& own = self->claim_of(mine);
    return own.change(mine, claim_state::claimed, claim_state::passed)
               ? std::optional<T>(advance(mine, aggregate))
               : exchange_beside_helper(own, mine, aggregate);
  }

  /// Records that chunk `mine` threw. Later chunks stop, earlier ones go on, so the reported error
  /// is always that of the first failing chunk: the one that a serial loop would meet.
  void fail(index_t mine, std::exception_ptr error) {
    std::scoped_lock const lock(failure_);
    if (mine >= limit_.load(std::memory_order_relaxed)) return;
    error_ = error;
    limit_.store(mine, std::memory_order_relaxed);
  }

  /// After all threads have returned: the sum of all chunks, or the recorded exception.
  T total() const {
    if (error_) std::rethrow_exception(error_);
    return carry_;
  }

 private:
  /// Members that need no allocation; large values have none.
  static constexpr int few_members = sizeof(member) <= 4 * cache_line ? 4 : 0;
  static_assert(std::is_trivially_destructible_v<member>);

  static constexpr std::int64_t next_patience_ns = 2000;
  static constexpr std::int64_t late_ns = 500000;

  bool has_failed(index_t chunk) const { return limit_.load(std::memory_order_relaxed) <= chunk; }

  /// Only the thread that changed the state of the current chunk touches the carry; the turn orders
  /// these accesses.
  T advance(index_t chunk, T const& aggregate) {
    T carry = carry_;
    carry_ = op_(carry, aggregate);
    turn_.store(chunk + 1, std::memory_order_release);
    return carry;
  }

  /// False if an earlier chunk has failed.
  [[gnu::noinline]] bool wait_for_turn(member& self, index_t mine, second_sums<T> const& second) {
    std::int64_t const since = ticks();
    for (int waits = 1; turn_.load(std::memory_order_acquire) < mine; ++waits) {
      if (has_failed(mine)) return false;
      if (waits % 16 == 0 && ticks() - since > short_wait) return wait_long(self, mine, second);
      relax();
    }
    return true;
  }

  /// The same, but after some time helps a late thread. That time is about what a chunk takes, so a
  /// working thread gets no help.
  [[gnu::noinline]] bool wait_long(member& self, index_t mine, second_sums<T> const& second) {
    std::int64_t const usual = self.usual_ns();
    std::int64_t patience = usual, since = wall_ns();
    member* owner = nullptr;  // of the current chunk
    for (int waits = 1, idle = 0; turn_.load(std::memory_order_acquire) < mine; ++waits) {
      if (has_failed(mine)) return false;
      std::int64_t const waited = waits % 16 == 0 ? wall_ns() - since : 0;
      if (waited <= patience) {
        relax();
      } else if (help(second)) {
        // The owner of the next chunk may have lost its core, too.
        patience = std::min(usual, next_patience_ns);
        since = wall_ns();
        idle = 0;
      } else {
        owner = owner_of(turn_.load(std::memory_order_acquire));
        back_off(idle++);
      }
    }
    // This thread may have slept in the meantime as well; the machine is busy either way.
    bool const late = wall_ns() - since > 2 * usual + late_ns;
    if (late && owner != nullptr) owner->late.store(true, std::memory_order_relaxed);
    self.resume();
    return true;
  }

  /// Calls use(member, claim) with the claim of `chunk` and its owner, unless it is already being
  /// helped.
  template <class Use>
  bool with_claim(index_t chunk, Use use) {
    for (int i = 0; i < threads_; ++i) {
      member& owner = members_[i];
      for (claimed_chunk<T>& claim : owner.claims) {
        if (claim.is(chunk, claim_state::claimed)) return use(owner, claim);
      }
    }
    return false;
  }

  /// The owner of `chunk`; null if unknown.
  member* owner_of(index_t chunk) {
    member* found = nullptr;
    with_claim(chunk, [&](member& owner, claimed_chunk<T>&) { return found = &owner, true; });
    return found;
  }

  /// Whether the calling thread may leave: another thread stays and claims the remaining chunks.
  bool leave() {
    int active = active_.load(std::memory_order_relaxed);
    while (active > 1) {
      if (active_.compare_exchange_weak(active, active - 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  /// Sums the current chunk in place of its owner, and passes its carry on. False if there is
  /// nothing to do.
  bool help(second_sums<T> const& second) {
    if (!second.ready()) return false;
    index_t const chunk = turn_.load(std::memory_order_acquire);
    return with_claim(chunk, [&](member&, claimed_chunk<T>& late) {
      if (!late.change(chunk, claim_state::claimed, claim_state::helped)) return false;
      try {
        T const aggregate = second.sum(chunk);
        if (late.change(chunk, claim_state::helped, claim_state::delivering)) {
          late.carry.emplace(carry_);
          carry_ = op_(*late.carry, aggregate);
          late.set(chunk, claim_state::delivered);
          turn_.store(chunk + 1, std::memory_order_release);
          return true;
        }
      } catch (...) {
        fail(chunk, std::current_exception());
        if (late.change(chunk, claim_state::helped, claim_state::claimed)) return true;
      }
      if (late.is(chunk, claim_state::overtaken)) late.set(chunk, claim_state::left);
      return true;
    });
  }

  /// `exchange_carry` of the current chunk, which has or had a helper.
  [[gnu::noinline]] std::optional<T> exchange_beside_helper(claimed_chunk<T>& own, index_t mine,
                                                            T const& aggregate) {
    if (own.change(mine, claim_state::helped, claim_state::overtaken)) {
      T carry = advance(mine, aggregate);
      for (int waits = 0; !own.is(mine, claim_state::left); ++waits) back_off(waits);
      return carry;
    }
    // A helper that could not sum it has given it back.
    if (own.change(mine, claim_state::claimed, claim_state::passed))
      return advance(mine, aggregate);
    for (int waits = 0; !own.is(mine, claim_state::delivered); ++waits) {
      if (has_failed(mine)) return std::nullopt;
      back_off(waits);
    }
    std::optional<T> carry = std::move(own.carry);
    own.carry.reset();
    return carry;
  }

  Op op_;
  int threads_;
  member* members_ = nullptr;
  std::unique_ptr<member[]> more_;
  alignas(cache_line) std::atomic<index_t> ticket_{0};
  std::atomic<int> joined_{0};  // threads that joined
  std::atomic<int> active_{0};  // those that have not left
  alignas(cache_line) std::atomic<index_t> turn_{0};
  T carry_;                                         // shares the cache line of the turn
  alignas(cache_line) std::atomic<index_t> limit_;  // chunks from here on are not needed
  std::mutex failure_;
  std::exception_ptr error_;
  alignas(member) std::byte few_[few_members > 0 ? few_members * sizeof(member) : 1];
};

}  // namespace libscan::inline v1::cpu::detail
