// SPDX-License-Identifier: Apache-2.0
// A chain of chunks: threads claim chunks of the input in order, summarise each on its own, and
// learn in turn what all earlier chunks sum to. The scan and the filter stand on it. After the
// chained scan of Yan, Long, Zhang: StreamScan (PPoPP 2013); every chunk crosses memory once.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/workers.hpp>

namespace libscan::inline v1::cpu {

/// One piece of the input: items [begin, end), never empty. `index` counts the chunks from 0.
struct chunk {
  index_t index;
  index_t begin;
  index_t end;
  index_t next_begin = 0;  ///< the thread's next chunk, if it knows: else no items
  index_t next_end = 0;

  index_t size() const { return end - begin; }
};

namespace detail {

/// Bytes that travel between memory and caches together.
inline constexpr index_t cache_line = 64;

/// Tells the core that this thread is waiting, so that a sibling hardware thread gets on.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits for another thread for the k-th time in a row. First a moment; then other threads may run,
/// since on a busy machine the other one may need this very core; and in the end it sleeps.
inline void wait_a_little(int k) {
  if (k < 64) {
    relax();
  } else if (k < 10000) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// The order in which chunks run, and the carry that goes from each to the next. Forward progress:
/// chunks are claimed in ascending order by an atomic ticket, so whoever waits for chunk k waits
/// for a thread that has claimed k and is running (nobody claims before it runs). That thread waits
/// at most for k - 1, and chunk 0 for nobody; hence every wait ends, with any number of threads.
template <monoid Op>
class chunk_chain {
 public:
  using T = typename Op::value_type;

  chunk_chain(index_t chunks, Op op, T init) : op_(op), carry_(init), limit_(chunks) {}

  /// The next chunk to work on; nothing if all are claimed, or an earlier one has failed.
  std::optional<index_t> claim() {
    index_t const mine = ticket_.fetch_add(1, std::memory_order_relaxed);
    if (mine < limit_.load(std::memory_order_relaxed)) return mine;
    return std::nullopt;
  }

  /// Waits for chunk `mine`'s turn, takes its carry and hands op(carry, aggregate) to the next
  /// chunk. Nothing if an earlier chunk failed, for then the turn may never come.
  std::optional<T> pass(index_t mine, T aggregate) {
    for (int waits = 0; turn_.load(std::memory_order_acquire) != mine; ++waits) {
      if (limit_.load(std::memory_order_relaxed) < mine) return std::nullopt;
      wait_a_little(waits);
    }
    // Only the chunk whose turn it is touches the carry; the turn orders these accesses.
    T const carry = carry_;
    carry_ = op_(carry, aggregate);
    turn_.store(mine + 1, std::memory_order_release);
    return carry;
  }

  /// Records that chunk `mine` threw. Later chunks stop, earlier ones go on, so that the error
  /// reported is always the one of the first chunk that fails: the one a serial loop would meet.
  void fail(index_t mine, std::exception_ptr error) {
    std::scoped_lock const lock(failure_);
    if (mine >= limit_.load(std::memory_order_relaxed)) return;
    error_ = error;
    limit_.store(mine, std::memory_order_relaxed);
  }

  /// After all threads have returned: what all chunks sum to, or the recorded exception.
  T total() const {
    if (error_) std::rethrow_exception(error_);
    return carry_;
  }

 private:
  Op op_;
  alignas(cache_line) std::atomic<index_t> ticket_{0};
  alignas(cache_line) std::atomic<index_t> turn_{0};
  T carry_;                                         // shares the line that travels with the turn
  alignas(cache_line) std::atomic<index_t> limit_;  // chunks from here on are not wanted
  std::mutex failure_;
  std::exception_ptr error_;
};

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

/// Calls work(chain, mine) on each thread that finds a chunk; `mine` is the one in hand, which is
/// to blame for what `work` throws.
template <monoid Op, class Work>
typename Op::value_type run_chain(int threads, index_t n, index_t chunk_items, Op op,
                                  typename Op::value_type init, Work const& work) {
  check_chunks(threads, n, chunk_items);
  index_t const chunks = ceil_div(n, chunk_items);
  chunk_chain<Op> chain(chunks, op, init);
  run_workers(static_cast<int>(std::min<index_t>(threads, chunks)), [&] {
    auto mine = chain.claim();
    if (!mine) return;
    try {
      work(chain, mine);
    } catch (...) {
      chain.fail(*mine, std::current_exception());
    }
  });
  return chain.total();
}

}  // namespace detail

/// Splits items 0..n-1 into chunks of `chunk_items` (the last may be shorter) and calls for each
///   T aggregate = aggregate_fn(state, chunk)      at any time, in any order, on several threads;
///   consume_fn(state, chunk, carry)               afterwards, on the same thread, where
/// carry = op(... op(op(init, aggregate of chunk 0), aggregate of chunk 1) ..., of the chunk
/// before); chunk 0 gets `init`. Returns the same with all aggregates (`init` if n = 0).
///
/// `state` is what `make_state()` returned: one per thread, made by the thread that uses it, kept
/// over its chunks and untouched between the two calls for a chunk. Thus a filter packs what it
/// keeps into a private buffer while counting, and copies it out once it knows where.
///
/// Of many chunks a thread claims each before it works on the one before, so that it may ask for
/// its memory in time (read_ahead.hpp).
///
/// At most `threads` threads work, the caller among them; a single chunk runs on the caller alone.
/// Calls for different chunks run concurrently, so they must not write to the same place. Nothing
/// depends on the number of threads or on timing: the association is fixed by n and `chunk_items`.
/// Allocates nothing per chunk.
///
/// If a callable throws, later chunks are abandoned and the exception of the first chunk that threw
/// leaves this function after all threads have stopped. Throws `invalid_argument` if threads < 1,
/// n < 0 or chunk_items < 1.
template <monoid Op, class MakeState, class Aggregate, class Consume>
typename Op::value_type run_chunks(int threads, index_t n, index_t chunk_items, Op op,
                                   typename Op::value_type init, MakeState&& make_state,
                                   Aggregate&& aggregate_fn, Consume&& consume_fn) {
  return detail::run_chain(threads, n, chunk_items, op, init, [&](auto& chain, auto& mine) {
    auto state = make_state();
    // Of few chunks, a thread that takes two may leave none to another.
    bool const ahead = n / chunk_items >= index_t{8} * threads;
    while (mine) {
      chunk work = detail::chunk_at(*mine, n, chunk_items);
      auto next = ahead ? chain.claim() : std::nullopt;
      if (next) {
        chunk const then = detail::chunk_at(*next, n, chunk_items);
        work.next_begin = then.begin;
        work.next_end = then.end;
      }
      auto const carry = chain.pass(*mine, aggregate_fn(state, work));
      if (!carry) return;
      consume_fn(state, work, *carry);
      mine = ahead ? next : chain.claim();
    }
  });
}

/// The same for chunks so many that each thread may claim its next one before it consumes the one
/// in hand, and summarise it on the way: consume_fn(chunk, carry, next), with `next` that chunk's
/// address or null, returns its aggregate (for null, anything), which must be as aggregate_fn's.
/// That is called for the first chunk of each thread alone. An exception is put down to the chunk
/// in hand.
template <monoid Op, class Aggregate, class Consume>
typename Op::value_type run_chunks_ahead(int threads, index_t n, index_t chunk_items, Op op,
                                         typename Op::value_type init, Aggregate&& aggregate_fn,
                                         Consume&& consume_fn) {
  return detail::run_chain(threads, n, chunk_items, op, init, [&](auto& chain, auto& mine) {
    chunk work = detail::chunk_at(*mine, n, chunk_items);
    auto aggregate = aggregate_fn(work);
    while (auto const carry = chain.pass(*mine, aggregate)) {
      auto const claimed = chain.claim();
      chunk const next = detail::chunk_at(claimed.value_or(0), n, chunk_items);
      aggregate = consume_fn(work, *carry, claimed ? &next : nullptr);
      if (!claimed) return;
      mine = claimed;
      work = next;
    }
  });
}

}  // namespace libscan::inline v1::cpu
