// SPDX-License-Identifier: Apache-2.0
// The carry that passes from chunk to chunk, and the threads that pass it on. If the owner of an
// earlier chunk has lost its core, a waiting thread sums that chunk again and passes the carry on
// in the owner's place. On a busy machine no thread waits for the scheduler. If sums must not be
// computed twice, the thread waits; the late owner then leaves the chain, so the others do not wait
// for it again.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_turns.hpp>

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

/// The chunks' turns (chunk_turns.hpp), and the carry that passes from each chunk to the next.
template <monoid Op>
class carry_chain : private chunk_turns {
 public:
  using T = typename Op::value_type;
  static_assert(std::is_trivially_destructible_v<T>);

  carry_chain(int threads, index_t chunks, Op op, T init)
      : chunk_turns(threads, chunks, sizeof(T), alignof(T)), carry_(init), op_(op) {}

  using chunk_turns::claim;
  using chunk_turns::fail;
  using chunk_turns::join;

  /// Waits for chunk `mine`'s turn, takes its carry and passes op(carry, aggregate) to the next
  /// chunk. Nothing if an earlier chunk failed, since the turn may then never come. While waiting
  /// it may call second.sum(k), which returns the aggregate of chunk k again, if second.ready().
  std::optional<T> exchange_carry(chain_member* self, index_t mine, T const& aggregate,
                                  second_sums<T> const& second) {
    waiting here{*this, second, std::nullopt};
    handover const turn =
        take_turn(self, mine, {&here, waiting::is_ready, waiting::sum, waiting::deliver});
    if (turn == handover::failed) return std::nullopt;
    if (turn == handover::delivered) return *static_cast<T*>(delivered(self, mine));
    std::optional<T> const carry = carry_;
    carry_ = op_(*carry, aggregate);
    pass_turn(mine);
    if (turn == handover::overtaken) wait_for_helper(self, mine);
    return carry;
  }

  /// After all threads have returned: the sum of all chunks, or the recorded exception.
  T total() const {
    throw_error();
    return carry_;
  }

 private:
  /// A thread that waits, as the helper of others.
  struct waiting {
    carry_chain& chain;
    second_sums<T> const& second;
    std::optional<T> aggregate;

    static bool is_ready(void* self) { return static_cast<waiting*>(self)->second.ready(); }
    static void sum(void* self, index_t chunk) {
      auto& here = *static_cast<waiting*>(self);
      here.aggregate.emplace(here.second.sum(chunk));
    }
    static void deliver(void* self, void* carry) {
      auto& here = *static_cast<waiting*>(self);
      T const* const handed = std::construct_at(static_cast<T*>(carry), here.chain.carry_);
      here.chain.carry_ = here.chain.op_(*handed, *here.aggregate);
    }
  };

  T carry_;  // shares the cache line of the turn
  Op op_;
};

}  // namespace libscan::inline v1::cpu::detail
