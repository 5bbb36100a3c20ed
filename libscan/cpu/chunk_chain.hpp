// SPDX-License-Identifier: Apache-2.0
// A chain of chunks: threads claim chunks of the input in order, summarize each independently, and
// then get the sum of all earlier chunks. Scan and filter are built on it. After the chained scan
// of Yan, Long, Zhang: StreamScan (PPoPP 2013); every chunk crosses memory once. If the owner of an
// earlier chunk has lost its core, a waiting thread sums that chunk again: no thread waits for the
// scheduler.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_turns.hpp>
#include <libscan/cpu/workers.hpp>

namespace libscan::inline v1::cpu::detail {

/// How a waiting thread computes the aggregate of a chunk again: by `sum`, if `ready` returns true.
/// References to callables that live as long as the chain's thread.
template <class T>
struct second_sums {
  libscan::detail::function_ref<bool()> ready;
  libscan::detail::function_ref<T(index_t chunk)> sum;
};

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

namespace libscan::inline v1::cpu {

/// One piece of the input: items [begin, end), never empty. `index` counts the chunks from 0.
struct chunk {
  index_t index;
  index_t begin;
  index_t end;
  index_t next_begin = 0;  ///< the thread's next chunk if it is known, else no items
  index_t next_end = 0;

  index_t size() const { return end - begin; }
};

/// Whether the aggregate of a chunk may be computed twice. `repeatable`: on a busy machine a thread
/// that waits for a chunk computes its aggregate again, beside or in place of its owner, from items
/// that only the chunk's own consume_fn may have changed by then. `once`: it waits.
enum class aggregates { once, repeatable };

namespace detail {

inline void check_chunks(int threads, index_t n, index_t chunk_items) {
  if (threads >= 1 && n >= 0 && chunk_items >= 1) return;
  throw invalid_argument("run_chunks: threads >= 1, n >= 0 and chunk_items >= 1 expected, got " +
                         std::to_string(threads) + ", " + std::to_string(n) + " and " +
                         std::to_string(chunk_items));
}

/// Piece `index` of n items.
inline chunk chunk_at(index_t index, index_t n, index_t chunk_items) {
  index_t const begin = index * chunk_items;
  return {index, begin, begin + std::min(chunk_items, n - begin)};
}

/// The most parts of a call that keeps a value for each.
inline constexpr index_t max_parts = 256;

/// How many of n > 0 items each of these parts has: those of one or more chunks.
inline index_t part_items(index_t n, index_t chunk_items) {
  return std::min(n, chunk_items * ceil_div(ceil_div(n, chunk_items), max_parts));
}

/// One thread's part in a chain.
template <monoid Op>
class chain_thread {
 public:
  using T = typename Op::value_type;

  explicit chain_thread(carry_chain<Op>& chain) : chain_(chain), self_(chain.join()) {}

  std::optional<index_t> claim() { return chain_.claim(self_); }

  std::optional<T> exchange_carry(index_t mine, T const& aggregate, second_sums<T> const& second) {
    return chain_.exchange_carry(self_, mine, aggregate, second);
  }

 private:
  carry_chain<Op>& chain_;
  chain_member* self_;
};

/// Calls work(thread, mine) on each thread that finds a chunk; exceptions of `work` are attributed
/// to chunk `mine`.
template <monoid Op, class Work>
typename Op::value_type run_chain(int threads, index_t n, index_t chunk_items, Op op,
                                  typename Op::value_type init, Work const& work) {
  check_chunks(threads, n, chunk_items);
  index_t const chunks = ceil_div(n, chunk_items);
  int const workers = static_cast<int>(std::min<index_t>(threads, chunks));
  carry_chain<Op> chain(workers, chunks, op, init);
  cpu::run_workers(workers, [&] {
    chain_thread<Op> thread(chain);
    auto mine = thread.claim();
    if (!mine) return;
    try {
      work(thread, mine);
    } catch (...) {
      chain.fail(*mine, std::current_exception());
    }
  });
  return chain.total();
}

/// The chunks of one thread, in turn. If there are many, it claims each before it works on the one
/// before.
class chunk_sequence {
 public:
  chunk_sequence(int threads, index_t n, index_t chunk_items)
      : n_(n), chunk_items_(chunk_items), ahead_(n / chunk_items >= index_t{8} * threads) {}

  /// Chunk `mine`, with what is known about the thread's next one.
  template <class Thread>
  chunk begin(Thread& thread, index_t mine) {
    chunk work = chunk_at(mine, n_, chunk_items_);
    // If there are few chunks, a thread that takes two may leave none for another.
    if (ahead_) next_ = thread.claim();
    if (next_) {
      chunk const then = chunk_at(*next_, n_, chunk_items_);
      work.next_begin = then.begin;
      work.next_end = then.end;
    }
    return work;
  }

  /// The thread's next chunk, if there is one.
  template <class Thread>
  std::optional<index_t> next(Thread& thread) {
    return ahead_ ? std::exchange(next_, std::nullopt) : thread.claim();
  }

 private:
  index_t n_;
  index_t chunk_items_;
  bool ahead_;
  std::optional<index_t> next_;
};

/// Makes a value when it is first needed; false if there is no memory for it, or `make` throws.
template <class T, class Make>
bool make_once(libscan::detail::owned_object<T>& value, Make& make) try {
  if (value.empty()) value.set(new T(make()));
  return true;
} catch (...) {
  return false;
}

}  // namespace detail

/// Splits items 0..n-1 into chunks of `chunk_items` (the last may be shorter) and calls for each
///   T aggregate = aggregate_fn(state, chunk)      at any time, in any order, on several threads;
///   consume_fn(state, chunk, carry)               afterwards, on the same thread,
/// where carry = op(... op(op(init, aggregate of chunk 0), aggregate of chunk 1) ..., of the chunk
/// before); chunk 0 gets `init`. Returns the same with all aggregates (`init` if n = 0).
///
/// `state` is the result of `make_state()`: one per thread, made by the thread that uses it, kept
/// over its chunks and untouched between the two calls for a chunk. A filter can therefore pack
/// kept items into a private buffer while it counts them, and copy them out once their place is
/// known.
///
/// If there are many chunks, a thread claims each before it works on the one before, so that it can
/// prefetch its memory in time (read_ahead.hpp).
///
/// On a busy machine a thread may lose its core between or within the two calls for a chunk, and
/// later chunks wait for its aggregate. If that is `repeatable`, a waiting thread calls
/// aggregate_fn for that chunk again, with a second state of its own, and goes on; both calls must
/// return the same. The late thread takes part again when it is back, and consumes its chunks
/// itself.
///
/// Threads: at most `threads` work, including the caller; a single chunk runs on the caller only.
/// Calls for different chunks run concurrently, so they must not write to the same place. Allocates
/// nothing per chunk.
/// Determinism: results do not depend on the number of threads or on timing; n and `chunk_items`
/// fix the association.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1. If a callable throws, later
/// chunks are abandoned, and after all threads have stopped the exception of the first throwing
/// chunk is thrown.
template <monoid Op, class MakeState, class Aggregate, class Consume>
typename Op::value_type run_chunks(int threads, index_t n, index_t chunk_items, Op op,
                                   typename Op::value_type init, MakeState&& make_state,
                                   Aggregate&& aggregate_fn, Consume&& consume_fn,
                                   aggregates sums = aggregates::once) {
  return detail::run_chain(threads, n, chunk_items, op, init, [&](auto& thread, auto& mine) {
    auto state = make_state();
    // Aggregates of other threads' chunks, in a state apart. Without memory for it the thread
    // waits.
    libscan::detail::owned_object<decltype(state)> other_state;
    bool allowed = sums == aggregates::repeatable;
    auto const ready = [&] {
      return allowed = allowed && detail::make_once(other_state, make_state);
    };
    auto const sum = [&](index_t chunk) {
      return aggregate_fn(*other_state, detail::chunk_at(chunk, n, chunk_items));
    };
    detail::second_sums<typename Op::value_type> const second{ready, sum};
    detail::chunk_sequence own(threads, n, chunk_items);
    while (mine) {
      chunk const work = own.begin(thread, *mine);
      auto const carry = thread.exchange_carry(*mine, aggregate_fn(state, work), second);
      if (!carry) return;
      consume_fn(state, work, *carry);
      mine = own.next(thread);
    }
  });
}

/// The same for so many chunks that each thread may claim its next one before it consumes the
/// current one, and summarize it meanwhile: consume_fn(chunk, carry, next), with `next` that
/// chunk's address or null, returns its aggregate (anything for null), which must equal
/// aggregate_fn's. aggregate_fn is called for the first chunk of each thread, and for chunks of
/// late threads: aggregates are `repeatable`. Exceptions are attributed to the current chunk.
template <monoid Op, class Aggregate, class Consume>
typename Op::value_type run_chunks_ahead(int threads, index_t n, index_t chunk_items, Op op,
                                         typename Op::value_type init, Aggregate&& aggregate_fn,
                                         Consume&& consume_fn) {
  return detail::run_chain(threads, n, chunk_items, op, init, [&](auto& thread, auto& mine) {
    auto const ready = [] { return true; };
    auto const sum = [&](index_t chunk) {
      return aggregate_fn(detail::chunk_at(chunk, n, chunk_items));
    };
    detail::second_sums<typename Op::value_type> const second{ready, sum};
    chunk work = detail::chunk_at(*mine, n, chunk_items);
    auto aggregate = aggregate_fn(work);
    while (auto const carry = thread.exchange_carry(*mine, aggregate, second)) {
      auto const claimed = thread.claim();
      chunk const next = detail::chunk_at(claimed.value_or(0), n, chunk_items);
      aggregate = consume_fn(work, *carry, claimed ? &next : nullptr);
      if (!claimed) return;
      mine = claimed;
      work = next;
    }
  });
}

/// Calls work(state, chunk) once for each chunk, in any order, on up to `threads` threads that
/// never wait for each other; returns the sum of its results. State and errors are as in
/// `run_chunks`.
template <class MakeState, class Work>
index_t sum_chunks(int threads, index_t n, index_t chunk_items, MakeState&& make_state,
                   Work&& work) {
  std::atomic<index_t> total{0};
  detail::run_chain(threads, n, chunk_items, plus<index_t>{}, 0, [&](auto& thread, auto& mine) {
    auto state = make_state();
    detail::chunk_sequence own(threads, n, chunk_items);
    index_t sum = 0;
    for (; mine; mine = own.next(thread)) sum += work(state, own.begin(thread, *mine));
    total.fetch_add(sum, std::memory_order_relaxed);
  });
  return total.load(std::memory_order_relaxed);
}

/// Calls use(i) once for each i in [0, n), in any order, on up to `threads` threads. Each thread
/// takes `chunk_items` at a time. Errors are as in `run_chunks`.
template <class Use>
void for_each_index(int threads, index_t n, Use const& use,
                    index_t chunk_items = index_t{1} << 15) {
  cpu::sum_chunks(
      threads, n, chunk_items, [] { return 0; },
      [&](int, chunk const& c) {
        for (index_t i = c.begin; i < c.end; ++i) use(i);
        return index_t{0};
      });
}

}  // namespace libscan::inline v1::cpu
