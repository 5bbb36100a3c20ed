// SPDX-License-Identifier: Apache-2.0
// What the threads of a chain (chunk_turns.hpp) share about each other: the chunks that each has
// claimed, and how long a chunk usually takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_turns.hpp>
#include <libscan/cpu/waiting.hpp>

namespace libscan::inline v1::cpu::detail {

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

}  // namespace libscan::inline v1::cpu::detail
