// SPDX-License-Identifier: Apache-2.0
// Vector clocks: the progress of every other thread that a thread knows to be complete (Lamport
// 1978, Mattern 1989; the race checks on them follow FastTrack, Flanagan & Freund 2009). Kept per
// block, and immutable, so that all threads that leave a barrier share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <libscan/simt/executor/vocabulary.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

/// A thread's own time; it advances with each release.
using moment = std::uint32_t;

/// A thread of a launch: the serial number of its block (no two blocks of a launch share one) and
/// its rank in it.
struct thread_id {
  static constexpr unsigned rank_bits = 10;
  static constexpr std::uint32_t max_blocks = 1u << (32 - rank_bits);

  std::uint32_t value = 0;

  static thread_id of(std::uint32_t block, unsigned rank) { return {block << rank_bits | rank}; }
  std::uint32_t block() const { return value >> rank_bits; }
  unsigned rank() const { return value & ((1u << rank_bits) - 1); }
  friend bool operator==(thread_id const&, thread_id const&) = default;
};

/// A thread, and the moment up to which it is complete.
struct progress {
  thread_id thread;
  moment until = 0;
};

class clock;
using clock_ref = std::shared_ptr<clock const>;  ///< nullptr: nothing is known

/// For each thread, the moment up to which its actions come before those of the clock's owner.
class clock {
 public:
  /// By rank; ranks beyond its end are at 0.
  using block_times = std::vector<moment>;

  /// The moments of one block's threads; nullptr if nothing is known about it.
  block_times const* of_block(std::uint32_t block) const;

  moment of(thread_id thread) const;

  /// The knowledge of both. Blocks before `oldest` are forgotten.
  static clock_ref join(clock_ref const& a, clock_ref const& b, std::uint32_t oldest);

  /// `base` and the progress of these threads, which `base` does not exceed. Threads of one block
  /// are adjacent.
  static clock_ref with(clock_ref const& base, std::span<progress const> threads,
                        std::uint32_t oldest);

 private:
  using times_ref = std::shared_ptr<block_times const>;
  struct entry {
    std::uint32_t block;
    times_ref times;
  };

  static times_ref join(times_ref const& a, times_ref const& b);
  std::vector<entry>::const_iterator find(std::uint32_t block) const;

  std::vector<entry> entries_;  // ascending by block
};

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
